// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "beff_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace linkworth::netbench {

namespace {
constexpr std::int64_t kLongestFixed = 4096;
constexpr int kSteps = 8;
constexpr double kLongestEver = 128.0 * 1024 * 1024;
constexpr double kShareOfMemory = 128.0;
constexpr double kLoopSeconds = 0.00375;  // the middle of the range in the definition
constexpr std::size_t kWithoutWarmUp = 3;
}  // namespace

std::vector<std::int64_t> beff_lengths(std::int64_t longest) {
    if (longest <= kLongestFixed) throw std::invalid_argument("b_eff's longest message must be above 4 KiB");
    std::vector<std::int64_t> lengths;
    for (std::int64_t length = 1; length <= kLongestFixed; length *= 2) lengths.push_back(length);
    const double ratio = static_cast<double>(longest) / static_cast<double>(kLongestFixed);
    for (int step = 1; step < kSteps; ++step)
        lengths.push_back(std::llround(static_cast<double>(kLongestFixed) *
                                       std::pow(ratio, static_cast<double>(step) / kSteps)));
    lengths.push_back(longest);
    return lengths;
}

std::int64_t beff_longest(double memory_of_a_rank) {
    return std::max<std::int64_t>(2 * kLongestFixed, static_cast<std::int64_t>(std::min(
                                                         kLongestEver, memory_of_a_rank / kShareOfMemory)));
}

double logarithmic_average(std::span<const double> values) {
    if (values.empty()) throw std::invalid_argument("no values to average");
    double sum = 0.0;
    for (const double value : values) sum += std::log(value);
    return std::exp(sum / static_cast<double>(values.size()));
}

double pattern_average(const Bandwidths& patterns) {
    std::vector<double> averages;
    for (const std::vector<double>& lengths : patterns)
        averages.push_back(std::accumulate(lengths.begin(), lengths.end(), 0.0) /
                           static_cast<double>(lengths.size()));
    return logarithmic_average(averages);
}

double effective_bandwidth(const Bandwidths& rings, const Bandwidths& random) {
    return logarithmic_average(std::array{pattern_average(rings), pattern_average(random)});
}

std::int64_t beff_loops(double exchange_seconds_before, double growth) {
    // Longer messages take longer, but at most in proportion to their length.
    const double next = exchange_seconds_before * std::max(1.0, std::sqrt(growth));
    return std::clamp<std::int64_t>(std::llround(kLoopSeconds / next), 1, kMostBeffLoops);
}

bool beff_warms_up(std::size_t length, std::size_t lengths) { return length + kWithoutWarmUp < lengths; }

}  // namespace linkworth::netbench
