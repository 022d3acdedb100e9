// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Node sharing among the ranks of a communicator, on which topology-aware collectives depend.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "calls/collectives/types.hpp"

namespace linkworth::replay::collectives {

struct Topology {
    /// `members[i]` is the world rank of rank i, `node_of_world` the node of each world rank.
    Topology(std::span<const std::int32_t> members, const std::vector<std::uint32_t>& node_of_world);

    std::vector<Rank> node;                     ///< of each rank, numbered in the order of their first ranks
    std::vector<Rank> local;                    ///< place of each rank among those of its node
    std::vector<std::vector<Rank>> on_node;     ///< [node]: its ranks, ascending
    std::vector<std::vector<Rank>> with_local;  ///< [place]: one rank of each node that has so many, by node
    bool balanced = false;                      ///< every node has as many ranks
    bool consecutive = false;                   ///< a node's ranks follow each other, node by node

    Rank nodes() const { return static_cast<Rank>(on_node.size()); }
    /// Several nodes, and some node with several ranks.
    bool hierarchical() const { return nodes() > 1 && nodes() < node.size(); }
};

}  // namespace linkworth::replay::collectives
