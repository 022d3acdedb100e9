// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A collective as one rank takes part in it, and how a library may carry it out.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "calls/collectives/topology.hpp"
#include "calls/collectives/types.hpp"
#include "calls/event.hpp"

namespace linkworth::replay::collectives {

using tracefile::Collective;

struct Operation {
    Collective what = Collective::none;
    bool nonblocking = false;  ///< or persistent
    Rank me = 0;
    Rank size = 1;
    Rank root = 0;
    /// The vector (broadcast, reductions, scans); one piece (gather, scatter, all-gather, all-to-all); the
    /// whole vector that is scattered (reduce-scatter). Nothing for the variants with lists.
    Bytes bytes = 0;
    Bytes element = 1;              ///< bytes of an element, for reductions
    Bytes own = 0;                  ///< this rank's own piece in a gatherv or scatterv
    const Counts* sends = nullptr;  ///< pieces by rank, if the call has them
    const Counts* receives = nullptr;
    const Topology* topology = nullptr;  ///< null: all ranks as if on one level
};

/// names.cpp has their names and collectives, build.cpp their steps, and decide.cpp where they are possible.
enum class Algorithm : std::uint8_t {
    binary,
    binomial,
    binomial_doubling,  ///< Open MPI's tree for broadcasts
    bruck,
    butterfly,
    chain,
    double_ring,
    gather_bcast,
    han,
    in_order_binary,
    knomial,
    linear,
    linear_sync,
    neighbor,
    node_leaders,         ///< MPICH "smp": node roots, with a message between the root and its node's
    node_leaders_inline,  ///< the same without that message: the root's node goes by the root
    nonoverlapping,
    pairwise,
    pairwise_xor,
    pipeline,
    rabenseifner,
    recursive_doubling,
    recursive_halving,
    ring,
    scatter_allgather,
    scatter_allgather_ring,
    segmented_ring,
    split_binary,
    tree,
    two_proc,
};

struct Choice {
    Algorithm algorithm = Algorithm::linear;
    Bytes segment = 0;  ///< 0: unsegmented
    Rank fanout = 0;    ///< of chains, radix of k-nomial trees, messages at a time of linear exchanges
};

/// MPI library whose decisions apply. Each table names its source.
enum class Library : std::uint8_t {
    mpich,        ///< MPICH 3 and 4, and libraries derived from it
    mpich_flat,   ///< the same without its device's node-aware compositions
    openmpi_4_0,  ///< Open MPI up to 4.0
    openmpi_4_1,
    openmpi_5,
};

/// Python's names of the libraries, in their order.
inline constexpr std::array<std::string_view, 5> words_of(Library /*kind*/) {
    return {"mpich", "mpich-flat", "openmpi-4.0", "openmpi-4.1", "openmpi-5.0"};
}

struct Rules {
    Library library = Library::mpich;
    std::map<Collective, Choice> forced;      ///< on intra-communicators, blocking or not
    std::set<Collective>* applied = nullptr;  ///< if not null: collectives that ran a forced algorithm
};

/// Returns the choice of `rules`. It is never an algorithm that the rank count forbids.
Choice decide(const Rules& rules, const Operation& operation);

/// The tables behind it: openmpi_4_0.cpp, openmpi_4_1.cpp, openmpi_nonblocking.cpp, mpich.cpp.
Choice decide_openmpi_4_0(const Operation& operation);
Choice decide_openmpi_4_1(const Operation& operation);
Choice decide_openmpi_nonblocking(const Operation& operation);
Choice decide_mpich(const Operation& operation, bool by_node);

struct NamedAlgorithm {
    Collective collective;
    std::string_view name;
    Algorithm algorithm;
};

/// All algorithms that users can choose by name.
const std::vector<NamedAlgorithm>& named_algorithms();
/// Returns null if the collective has no algorithm of that name.
const NamedAlgorithm* find_algorithm(Collective collective, std::string_view name);
/// Returns `ring`, `recursive_doubling`, ...; empty for one that has no name.
std::string_view algorithm_name(Collective collective, Algorithm algorithm);

}  // namespace linkworth::replay::collectives
