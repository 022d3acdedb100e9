// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace linkworth::netbench {

/// Most exchanges between two readings of the clock, and their number at the shortest length.
inline constexpr std::int64_t kMostBeffLoops = 300;

/// Returns how many exchanges of a length are timed together, so that they take the 2.5 to 5 ms of b_eff's
/// definition. It depends on the time of one exchange of the previous length, and on the ratio of the two
/// lengths.
std::int64_t beff_loops(double exchange_seconds_before, double growth);

/// Returns whether one exchange goes before the clock starts. The longest lengths do without.
bool beff_warms_up(std::size_t length, std::size_t lengths);

}  // namespace linkworth::netbench
