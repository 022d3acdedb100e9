// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/collectives/build.hpp"

#include <algorithm>

#include "calls/collectives/algorithms.hpp"

namespace linkworth::replay::collectives {
namespace {

using enum Algorithm;

Schedule nothing() { co_return; }

Schedule then(Schedule first, Schedule second) {
    std::vector<Phase> phases;
    phases.push_back({std::move(first)});
    phases.push_back({std::move(second)});
    return in_sequence(std::move(phases));
}

/// Steps of the same ranks in another collective, for which the algorithm is chosen anew.
Schedule part(const Rules& rules, const Operation& whole, Collective what, Rank root, Bytes bytes) {
    Operation operation = whole;
    operation.what = what;
    operation.root = root;
    operation.bytes = bytes;
    return build(rules, operation);
}

Tree tree_for(const Operation& operation, TreeShape shape, Rank fanout = 0) {
    return tree_of(shape, operation.me, operation.size, operation.root, fanout);
}

bool folds_by_halves(const Rules& rules) {
    return rules.library != Library::mpich && rules.library != Library::mpich_flat;
}

Schedule barrier(const Operation& operation, Algorithm algorithm) {
    switch (algorithm) {
        case linear: return barrier_linear(operation.me, operation.size);
        case double_ring: return barrier_double_ring(operation.me, operation.size);
        case recursive_doubling: return barrier_recursive_doubling(operation.me, operation.size);
        case tree: return barrier_tree(operation.me, operation.size);
        default:  // an exchange of two is a dissemination, too
            return barrier_dissemination(operation.me, operation.size);
    }
}

Schedule bcast(const Operation& operation, const Choice& choice) {
    const auto& [what, nonblocking, me, size, root, bytes, element, own, sends, receives, topology] =
        operation;
    const auto along = [&](TreeShape shape, Rank fanout = 0, bool one_by_one = false) {
        return bcast_tree(tree_for(operation, shape, fanout), operation.bytes, choice.segment, one_by_one);
    };
    switch (choice.algorithm) {
        case chain: return along(TreeShape::chain, std::max<Rank>(choice.fanout, 1));
        case pipeline: return along(TreeShape::chain, 1);
        case split_binary:
            if (bytes < 2 || (choice.segment > bytes / 2 && choice.segment != 0))
                return along(TreeShape::chain, 1);
            return bcast_split_binary(me, size, root, bytes, choice.segment);
        case binary: return along(TreeShape::binary, 2);
        case binomial: return along(TreeShape::binomial_far, 0, !nonblocking);
        case binomial_doubling: return along(TreeShape::binomial_doubling);
        case knomial: return along(TreeShape::knomial, std::max<Rank>(choice.fanout, 2));
        case scatter_allgather:
        case scatter_allgather_ring:
            return bcast_scatter_allgather(me, size, root, bytes, choice.algorithm == scatter_allgather_ring);
        default: return along(TreeShape::linear);
    }
}

Schedule reduce(const Rules& rules, const Operation& operation, const Choice& choice) {
    const auto& [what, nonblocking, me, size, root, bytes, element, own, sends, receives, topology] =
        operation;
    const auto along = [&](TreeShape shape, Rank fanout = 0) {
        return reduce_tree(tree_for(operation, shape, fanout), operation.bytes, choice.segment);
    };
    switch (choice.algorithm) {
        case chain: return along(TreeShape::chain, std::max<Rank>(choice.fanout, 1));
        case pipeline: return along(TreeShape::chain, 1);
        case binary: return along(TreeShape::binary, 2);
        case binomial:
        case binomial_doubling: return along(TreeShape::binomial);
        case in_order_binary: return reduce_in_order_binary(me, size, root, bytes, choice.segment);
        case rabenseifner:
            return reduce_scatter_gather(me, size, root, bytes, element, folds_by_halves(rules));
        default: return reduce_linear(me, size, root, bytes);
    }
}

Schedule allreduce(const Rules& rules, const Operation& operation, const Choice& choice) {
    const auto& [what, nonblocking, me, size, root, bytes, element, own, sends, receives, topology] =
        operation;
    switch (choice.algorithm) {
        case nonoverlapping:
            return then(part(rules, operation, Collective::reduce, 0, bytes),
                        part(rules, operation, Collective::bcast, 0, bytes));
        case recursive_doubling: return allreduce_recursive_doubling(me, size, bytes);
        case ring: return allreduce_ring(me, size, bytes, element, 0);
        case segmented_ring: return allreduce_ring(me, size, bytes, element, choice.segment);
        case rabenseifner: return allreduce_rabenseifner(me, size, bytes, element, folds_by_halves(rules));
        case tree:
            return then(reduce_tree(tree_of(TreeShape::binomial, me, size, 0), bytes, 0),
                        bcast_tree(tree_of(TreeShape::binomial_doubling, me, size, 0), bytes, 0, false));
        default:
            return then(reduce_linear(me, size, 0, bytes),
                        bcast_tree(tree_of(TreeShape::linear, me, size, 0), bytes, 0, false));
    }
}

Schedule allgather(const Rules& rules, const Operation& operation, const Choice& choice, Pieces pieces) {
    const Rank me = operation.me;
    const Rank size = operation.size;
    switch (choice.algorithm) {
        case bruck: return allgather_bruck(me, std::move(pieces));
        case recursive_doubling: return allgather_recursive_doubling(me, std::move(pieces));
        case neighbor: return allgather_neighbor_exchange(me, std::move(pieces));
        case ring:
        case two_proc: return allgather_ring(me, std::move(pieces));
        case gather_bcast: {
            const Bytes total = pieces.total();
            const Bytes own = pieces[me];
            Schedule gathered = operation.receives == nullptr
                                    ? part(rules, operation, Collective::gather, 0, operation.bytes)
                                    : gather_linear(me, size, 0, own, std::move(pieces));
            return then(std::move(gathered), part(rules, operation, Collective::bcast, 0, total));
        }
        default: {
            Counts sends(size, pieces[me]);
            Counts receives(size);
            for (Rank rank = 0; rank < size; ++rank) receives[rank] = pieces[rank];
            return alltoallv_linear(me, size, std::move(sends), std::move(receives), 0);
        }
    }
}

Schedule alltoall(const Operation& operation, const Choice& choice) {
    const Rank me = operation.me;
    const Rank size = operation.size;
    switch (choice.algorithm) {
        case bruck: return alltoall_bruck(me, size, operation.bytes);
        case pairwise:
        case two_proc: return alltoall_pairwise(me, size, operation.bytes, false);
        case pairwise_xor: return alltoall_pairwise(me, size, operation.bytes, true);
        default: return alltoall_linear(me, size, operation.bytes, choice.fanout);
    }
}

Schedule reduce_scatter(const Rules& rules, const Operation& operation, const Choice& choice, Pieces pieces) {
    const Rank me = operation.me;
    switch (choice.algorithm) {
        case recursive_halving: return reduce_scatter_halving(me, std::move(pieces));
        case recursive_doubling: return reduce_scatter_doubling(me, std::move(pieces));
        case ring: return reduce_scatter_ring(me, std::move(pieces));
        case butterfly: return reduce_scatter_butterfly(me, std::move(pieces), operation.receives == nullptr);
        case pairwise: return reduce_scatter_pairwise(me, std::move(pieces));
        default: {  // a reduction to rank 0, then a scatter
            // coll/libnbc has its own binomial tree there.
            Schedule reduced =
                operation.nonblocking
                    ? reduce_tree(tree_of(TreeShape::binomial, me, operation.size, 0), pieces.total(), 0)
                    : part(rules, operation, Collective::reduce, 0, pieces.total());
            const Bytes own = pieces[me];
            Schedule scattered = operation.receives == nullptr
                                     ? part(rules, operation, Collective::scatter, 0, own)
                                     : scatter_linear(me, operation.size, 0, own, std::move(pieces));
            return then(std::move(reduced), std::move(scattered));
        }
    }
}

/// Libraries return at once from a collective without data; a barrier has none and still counts.
bool is_empty(const Operation& operation) {
    return operation.what != Collective::barrier && operation.bytes == 0 && operation.sends == nullptr &&
           operation.receives == nullptr && operation.own == 0;
}

}  // namespace

Schedule build(const Rules& rules, const Operation& operation) {
    if (operation.size == 1 || is_empty(operation)) return nothing();
    return build(rules, operation, decide(rules, operation));
}

Schedule build(const Rules& rules, const Operation& operation, const Choice& choice) {
    if (choice.algorithm == han) return build_han(rules, operation);
    if (choice.algorithm == node_leaders || choice.algorithm == node_leaders_inline)
        return build_by_node_leaders(rules, operation, choice.algorithm == node_leaders_inline);
    const auto& [what, nonblocking, me, size, root, bytes, element, own, sends, receives, topology] =
        operation;
    switch (what) {
        case Collective::barrier: return barrier(operation, choice.algorithm);
        case Collective::bcast: return bcast(operation, choice);
        case Collective::reduce: return reduce(rules, operation, choice);
        case Collective::allreduce: return allreduce(rules, operation, choice);
        case Collective::allgather: return allgather(rules, operation, choice, Pieces::equal(bytes, size));
        case Collective::allgatherv: return allgather(rules, operation, choice, Pieces::listed(*receives));
        case Collective::alltoall: return alltoall(operation, choice);
        case Collective::alltoallv:
        case Collective::alltoallw:
            if (choice.algorithm == pairwise) return alltoallv_pairwise(me, size, *sends, *receives);
            return alltoallv_linear(me, size, *sends, *receives, choice.fanout);
        case Collective::gather:
            if (choice.algorithm == binomial) return gather_binomial(me, size, root, bytes);
            if (choice.algorithm == linear_sync)
                return gather_linear_sync(me, size, root, bytes, choice.segment);
            return gather_linear(me, size, root, bytes, Pieces::equal(bytes, size));
        case Collective::scatter:
            if (choice.algorithm == binomial) return scatter_binomial(me, size, root, bytes);
            return scatter_linear(me, size, root, bytes, Pieces::equal(bytes, size));
        case Collective::gatherv:
            return gather_linear(me, size, root, own,
                                 me == root ? Pieces::listed(*receives) : Pieces::equal(0, size));
        case Collective::scatterv:
            return scatter_linear(me, size, root, own,
                                  me == root ? Pieces::listed(*sends) : Pieces::equal(0, size));
        case Collective::reduce_scatter:
            return reduce_scatter(rules, operation, choice, Pieces::listed(*receives));
        case Collective::reduce_scatter_block:
            return reduce_scatter(rules, operation, choice, Pieces::equal(bytes / size, size));
        case Collective::scan:
        case Collective::exscan:
            if (choice.algorithm == recursive_doubling) return scan_recursive_doubling(me, size, bytes);
            return scan_linear(me, size, bytes);
        case Collective::neighbor_allgather:
        case Collective::neighbor_allgatherv:
        case Collective::neighbor_alltoall:
        case Collective::neighbor_alltoallv:
        case Collective::neighbor_alltoallw:
        case Collective::none: break;
    }
    return nothing();
}

}  // namespace linkworth::replay::collectives
