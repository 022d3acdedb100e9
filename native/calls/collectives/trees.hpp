// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The trees along which rooted collectives send. Shapes as the libraries number them: Open MPI 5.0,
/// ompi/mca/coll/base/coll_base_topo.c (read 2026-11); MPICH 4.0, binomial trees of Thakur and others (2005).
#pragma once

#include <optional>

#include "calls/collectives/types.hpp"

namespace linkworth::replay::collectives {

enum class TreeShape : std::uint8_t {
    linear,             ///< the root has all others as children
    chain,              ///< `fanout` chains that start at the root; 1 is a pipeline
    binary,             ///< `fanout` children a rank (2), filled level by level
    binomial,           ///< subtrees of consecutive ranks, nearest child first
    binomial_far,       ///< the same, farthest child first
    binomial_doubling,  ///< in round r the ranks below 2^r send to rank + 2^r
    knomial,            ///< binomial with radix `fanout`, farthest child first
    in_order_binary,    ///< binary over ascending ranks; its root is always the last rank
};

/// Place of one rank in a tree: absolute ranks, children in the order in which they are served.
struct Tree {
    std::optional<Rank> parent;
    std::vector<Rank> children;
};

Tree tree_of(TreeShape shape, Rank me, Rank size, Rank root, Rank fanout = 0);

/// Position in a tree over ranks renumbered so that the root is 0.
inline Rank relative(Rank rank, Rank root, Rank size) { return (rank + size - root) % size; }
inline Rank absolute(Rank relative_rank, Rank root, Rank size) { return (relative_rank + root) % size; }

/// Distance to the parent in a binomial tree over relative ranks; for the root, the least power of two that
/// covers all ranks.
Rank parent_distance(Rank relative_rank, Rank size);

/// Ranks of the binomial subtree at `relative_rank`, whose parent is `distance` away.
inline Rank subtree(Rank relative_rank, Rank distance, Rank size) {
    return std::min(distance, size - relative_rank);
}

}  // namespace linkworth::replay::collectives
