// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "hpcc_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace linkworth::netbench {
namespace {

constexpr double kFewestRanks = 5.0;

bool is_prime(int number) {
    for (int divisor = 2; divisor * divisor <= number; ++divisor)
        if (number % divisor == 0) return false;
    return true;
}

}  // namespace

std::int64_t longer_loop(std::int64_t count) { return std::max(count + 1, count + count / 2); }

int pair_stride(int ranks, double seconds_of_a_pair, double seconds_of_all) {
    const double affordable = std::floor(std::sqrt(std::floor(seconds_of_all / seconds_of_a_pair)));
    const double least = std::ceil(ranks / std::max(kFewestRanks, affordable));
    if (least <= 1.0) return 1;
    int stride = std::max(3, static_cast<int>(least));
    // If no prime leaves three ranks, the stride need not be prime.
    while (!is_prime(stride) && stride <= ranks / 3) ++stride;
    return stride;
}

double seconds_of_a_pair(const HpccSize& size, double message_seconds) {
    const double loop = 2.0 * message_seconds * static_cast<double>(size.trips + 1);
    return std::max(loop, kHpccLeastSeconds) * size.ping_pongs;
}

std::vector<std::vector<Neighbours>> hpcc_rings(int ranks, const HpccSize& size, std::uint64_t seed) {
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::vector<Neighbours>> result{rings(order, ranks)};
    for (int i = 0; i < size.random_rings; ++i)
        result.push_back(rings(shuffled(ranks, seed + static_cast<std::uint64_t>(i)), ranks));
    return result;
}

}  // namespace linkworth::netbench
