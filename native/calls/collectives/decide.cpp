// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "calls/collectives/operation.hpp"

namespace linkworth::replay::collectives {
namespace {

using enum Algorithm;

/// Returns whether coll/han of Open MPI 5.0 handles the collective. It has the highest priority (35 against
/// 30 of coll/tuned). It takes blocking collectives on communicators over several nodes with the same number
/// of ranks on each, more than one. Source: ompi/mca/coll/han/coll_han_component.c at 2152b61a,
/// coll_han_subcomms.c and coll_han_reduce.c at 0da975f6 (github.com/open-mpi/ompi, read 2026-11-22).
bool han_takes(const Operation& operation) {
    if (operation.nonblocking || operation.topology == nullptr) return false;
    if (!operation.topology->hierarchical()) return false;
    switch (operation.what) {
        case Collective::barrier: return true;
        case Collective::allgather:
        case Collective::allreduce:
        case Collective::bcast:
        case Collective::gather:
        case Collective::reduce:
        case Collective::scatter: return operation.topology->balanced;
        default: return false;
    }
}

Choice by_table(Library library, const Operation& operation) {
    switch (library) {
        case Library::mpich: return decide_mpich(operation, true);
        case Library::mpich_flat: return decide_mpich(operation, false);
        case Library::openmpi_4_0:
            return operation.nonblocking ? decide_openmpi_nonblocking(operation)
                                         : decide_openmpi_4_0(operation);
        case Library::openmpi_4_1: break;
        case Library::openmpi_5:
            if (han_takes(operation)) return {han};
            break;
    }
    return operation.nonblocking ? decide_openmpi_nonblocking(operation) : decide_openmpi_4_1(operation);
}

/// Returns the algorithm that Open MPI uses if the rank count or the placement forbids the given one.
Algorithm possible(Algorithm algorithm, const Operation& operation) {
    const Rank ranks = operation.size;
    const Topology* topology = operation.topology;
    const bool gathers = operation.what == Collective::allgather || operation.what == Collective::allgatherv;
    if (gathers && algorithm == recursive_doubling && !std::has_single_bit(ranks)) return bruck;
    if (gathers && algorithm == neighbor && ranks % 2 == 1) return ring;
    if (algorithm == two_proc && ranks != 2) {
        if (operation.what == Collective::barrier) return bruck;
        return gathers ? ring : pairwise;
    }
    if (algorithm == scatter_allgather && !std::has_single_bit(ranks)) return scatter_allgather_ring;
    const bool by_node = algorithm == han || algorithm == node_leaders || algorithm == node_leaders_inline;
    const bool placed = topology != nullptr && topology->hierarchical() &&
                        (algorithm != han || operation.what == Collective::barrier || topology->balanced);
    if (!by_node || placed) return algorithm;
    switch (operation.what) {
        case Collective::barrier: return bruck;
        case Collective::allgather: return possible(recursive_doubling, operation);
        case Collective::allreduce:
        case Collective::scan: return recursive_doubling;
        default: return binomial;
    }
}

}  // namespace

Choice decide(const Rules& rules, const Operation& operation) {
    const auto forced = rules.forced.find(operation.what);
    Choice choice = forced == rules.forced.end() ? by_table(rules.library, operation) : forced->second;
    const Algorithm wanted = choice.algorithm;
    choice.algorithm = possible(wanted, operation);
    const bool variant = wanted == scatter_allgather && choice.algorithm == scatter_allgather_ring;
    if (rules.applied != nullptr && forced != rules.forced.end() && (choice.algorithm == wanted || variant))
        rules.applied->insert(operation.what);
    return choice;
}

}  // namespace linkworth::replay::collectives
