// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/collectives/topology.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace linkworth::replay::collectives {

Topology::Topology(std::span<const std::int32_t> members, const std::vector<std::uint32_t>& node_of_world) {
    std::unordered_map<std::uint32_t, Rank> number;
    for (Rank rank = 0; rank < members.size(); ++rank) {
        const std::uint32_t there = node_of_world[static_cast<std::size_t>(members[rank])];
        const auto [found, added] = number.emplace(there, nodes());
        if (added) on_node.emplace_back();
        std::vector<Rank>& ranks = on_node[found->second];
        node.push_back(found->second);
        local.push_back(static_cast<Rank>(ranks.size()));
        ranks.push_back(rank);
    }
    for (const std::vector<Rank>& ranks : on_node) {
        for (std::size_t place = 0; place < ranks.size(); ++place) {
            if (place == with_local.size()) with_local.emplace_back();
            with_local[place].push_back(ranks[place]);
        }
    }
    balanced = std::all_of(on_node.begin(), on_node.end(),
                           [&](const auto& ranks) { return ranks.size() == on_node.front().size(); });
    consecutive = std::is_sorted(node.begin(), node.end());
}

}  // namespace linkworth::replay::collectives
