// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "rings.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

namespace linkworth::netbench {

std::vector<int> ring_sizes(int ranks) {
    std::vector<int> sizes{2, 4, 8, std::max(16, ranks / 4), std::max(32, ranks / 2), ranks};
    for (int& size : sizes) size = std::min(size, ranks);
    return sizes;
}

std::vector<Neighbours> rings(std::span<const int> order, int ring_size) {
    const int ranks = static_cast<int>(order.size());
    if (ranks < 2 || ring_size < 2) throw std::invalid_argument("a ring needs two ranks");
    const int count = std::clamp((ranks + ring_size / 2) / ring_size, 1, ranks / 2);
    std::vector<Neighbours> result(order.size());
    for (int ring = 0; ring < count; ++ring) {
        const int from = static_cast<int>(static_cast<std::int64_t>(ranks) * ring / count);
        const int to = static_cast<int>(static_cast<std::int64_t>(ranks) * (ring + 1) / count);
        const auto member = [&](int place) { return order[static_cast<std::size_t>(place)]; };
        for (int place = from; place < to; ++place)
            result[static_cast<std::size_t>(member(place))] = {member(place == from ? to - 1 : place - 1),
                                                               member(place == to - 1 ? from : place + 1)};
    }
    return result;
}

std::vector<std::vector<Neighbours>> beff_patterns(int ranks, bool random, std::uint64_t seed) {
    std::vector<std::vector<Neighbours>> patterns;
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    for (const int size : ring_sizes(ranks)) {
        if (random) order = shuffled(ranks, seed + patterns.size());
        patterns.push_back(rings(order, size));
    }
    return patterns;
}

std::vector<int> shuffled(int ranks, std::uint64_t seed) {
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 random(seed);
    // The result of std::shuffle is not fixed by the standard.
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    return order;
}

}  // namespace linkworth::netbench
