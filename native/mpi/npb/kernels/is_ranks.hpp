// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace linkworth::npb::is {

/// Keys of one range of values: all in [lowest, lowest + values).
struct KeyRun {
    std::span<const int> keys;
    std::int64_t lowest = 0;
    std::int64_t values = 0;
};

/// Elements of scratch memory that count_runs needs.
std::size_t scratch_size();

/// counters[v] = number of keys in all runs equal to lowest + v, modulo 256: one byte a value, so that more
/// of the counters stay in the cache. All runs must be within [lowest, lowest + counters.size()).
void count_runs(std::span<const KeyRun> runs, std::int64_t lowest, std::span<std::uint8_t> counters,
                std::span<std::uint16_t> scratch);

/// below[v] = sum of the counters before v; returns the sum of all.
std::uint32_t sum_counters(std::span<const std::uint8_t> counters, std::span<std::uint32_t> below);

/// below[v] = number of keys in all runs less than lowest + v, for values that may have any number of keys.
void rank_exactly(std::span<const KeyRun> runs, std::int64_t lowest, std::span<std::uint32_t> below);

}  // namespace linkworth::npb::is
