// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "members.hpp"

#include <algorithm>
#include <numeric>

namespace linkworth::netbench {
namespace {

std::vector<int> on_node(const std::vector<int>& nodes, int node) {
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank)
        if (nodes[rank] == node) ranks.push_back(static_cast<int>(rank));
    return ranks;
}

int other_node(const std::vector<int>& nodes) {
    const auto other = std::find_if(nodes.begin(), nodes.end(), [&](int node) { return node != nodes[0]; });
    return other == nodes.end() ? -1 : *other;
}

std::vector<int> pair_in_node(const std::vector<int>& nodes) {
    std::vector<int> ranks = on_node(nodes, nodes[0]);
    if (ranks.size() < 2)
        throw UsageError("a pair in one node: the first node has one rank only; give more ranks");
    ranks.resize(2);
    return ranks;
}

std::vector<int> pair_across(const std::vector<int>& nodes) {
    const int other = other_node(nodes);
    if (other < 0) throw UsageError("a pair across nodes: all ranks are on one node; give more nodes");
    return {0, on_node(nodes, other).front()};
}

/// Returns all ranks of the first node and the same number of another, or the two halves of the only node.
std::vector<int> two_sides(const std::vector<int>& nodes, bool whole_world) {
    std::vector<int> left(nodes.size());
    std::iota(left.begin(), left.end(), 0);
    const int other = other_node(nodes);
    if (whole_world || other < 0) {
        left.resize(nodes.size() / 2 * 2);
        return left;
    }
    left = on_node(nodes, nodes[0]);
    std::vector<int> right = on_node(nodes, other);
    const std::size_t pairs = std::min(left.size(), right.size());
    left.resize(pairs);
    left.insert(left.end(), right.begin(), right.begin() + static_cast<std::ptrdiff_t>(pairs));
    return left;
}

}  // namespace

std::vector<int> choose_members(Among among, Team team, const std::vector<int>& nodes) {
    if (nodes.size() < 2) throw UsageError("two ranks are needed; give -n 2 or more");
    if (among == Among::pair_in_node) return pair_in_node(nodes);
    if (among == Among::pair_across_nodes) return pair_across(nodes);
    if (team == Team::pair) {
        if (among != Among::automatic)
            throw UsageError("this test has two ranks; give --among pair-in-node or pair-across-nodes");
        return other_node(nodes) < 0 ? pair_in_node(nodes) : pair_across(nodes);
    }
    if (among == Among::node) {
        std::vector<int> ranks = on_node(nodes, nodes[0]);
        if (team == Team::two_sides) ranks.resize(ranks.size() / 2 * 2);
        if (ranks.size() < 2)
            throw UsageError("all of one node: the first node has one rank only; give more ranks");
        return ranks;
    }
    if (team == Team::two_sides) return two_sides(nodes, among == Among::all);
    std::vector<int> everyone(nodes.size());
    std::iota(everyone.begin(), everyone.end(), 0);
    return everyone;
}

}  // namespace linkworth::netbench
