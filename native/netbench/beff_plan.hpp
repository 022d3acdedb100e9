// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linkworth::netbench {

/// Returns the 21 message lengths of b_eff: 1 B to 4 KiB by powers of two, then 8 steps of one factor to the
/// longest. Throws std::invalid_argument if the longest is no longer than 4 KiB.
std::vector<std::int64_t> beff_lengths(std::int64_t longest);

/// The longest message by the definition: memory of a rank / 128, at most 128 MiB.
std::int64_t beff_longest(double memory_of_a_rank);

/// Geometric mean: b_eff's "logarithmic average". Throws std::invalid_argument for no values.
double logarithmic_average(std::span<const double> values);

/// Bandwidths by pattern and length, each the best of all methods and repetitions.
using Bandwidths = std::vector<std::vector<double>>;

/// The logarithmic average over patterns of each pattern's plain average over lengths.
double pattern_average(const Bandwidths& patterns);

/// b_eff: the logarithmic average of the ring patterns' value and the random patterns' value.
double effective_bandwidth(const Bandwidths& rings, const Bandwidths& random);

/// Most exchanges between two readings of the clock, and their number at the shortest length.
inline constexpr std::int64_t kMostBeffLoops = 300;

/// Returns how many exchanges of a length are timed together, so that they take the 2.5 to 5 ms of b_eff's
/// definition. It depends on the time of one exchange of the previous length, and on the ratio of the two
/// lengths.
std::int64_t beff_loops(double exchange_seconds_before, double growth);

/// Returns whether one exchange goes before the clock starts. The longest lengths do without.
bool beff_warms_up(std::size_t length, std::size_t lengths);

}  // namespace linkworth::netbench
