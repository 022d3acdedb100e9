// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/shared_nodes.hpp"

#include <algorithm>
#include <functional>

namespace linkworth::replay {

SharedNodes::FirstEnd SharedNodes::begin(std::uint32_t index, std::uint32_t rank, double demand, double now) {
    Node& node = nodes_[index];
    node.done += (now - node.at) * node.speed;
    node.at = now;
    node.ranks.push_back({node.done + alone_seconds_[rank], demand, rank});
    std::ranges::push_heap(node.ranks, std::greater{});
    changed(node);
    return first_end(index);
}

std::uint32_t SharedNodes::end_first(const FirstEnd& end) {
    Node& node = nodes_[end.node];
    std::ranges::pop_heap(node.ranks, std::greater{});
    const Computing ended = node.ranks.back();
    node.ranks.pop_back();
    // An idle node counts from 0 again, so that a rank which computes alone takes no rounding error along.
    node.done = node.ranks.empty() ? 0 : ended.ends;
    node.at = end.seconds;
    changed(node);
    return ended.rank;
}

SharedNodes::FirstEnd SharedNodes::first_end(std::uint32_t index) const {
    const Node& node = nodes_[index];
    return {node.at + std::max(0.0, node.ranks.front().ends - node.done) / node.speed, index, node.version};
}

void SharedNodes::changed(Node& node) {
    double demand = 0;  // without a limit, any demand has the same effect
    if (memory_bytes_per_second_ < no_limit)
        for (const Computing& each : node.ranks) demand += each.demand;
    node.speed = speed(demand, node.ranks.size());
    ++node.version;
}

double SharedNodes::speed(double demand, std::size_t ranks) const {
    double share = 1;
    if (demand > memory_bytes_per_second_) share = memory_bytes_per_second_ / demand;
    const auto computing = static_cast<double>(ranks);
    if (computing > cores_) {
        const double doubled = std::min(computing - cores_, cores_);
        share = std::min(share, (cores_ + doubled * (thread_gain_ - 1)) / computing);
    }
    return share;
}

}  // namespace linkworth::replay
