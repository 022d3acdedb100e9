// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "beff_loops.hpp"

#include <algorithm>
#include <cmath>

namespace linkworth::netbench {
namespace {
constexpr double kLoopSeconds = 0.00375;  // the middle of the range in the definition
constexpr std::size_t kWithoutWarmUp = 3;
}  // namespace

std::int64_t beff_loops(double exchange_seconds_before, double growth) {
    // Longer messages take longer, but at most in proportion to their length.
    const double next = exchange_seconds_before * std::max(1.0, std::sqrt(growth));
    return std::clamp<std::int64_t>(std::llround(kLoopSeconds / next), 1, kMostBeffLoops);
}

bool beff_warms_up(std::size_t length, std::size_t lengths) { return length + kWithoutWarmUp < lengths; }

}  // namespace linkworth::netbench
