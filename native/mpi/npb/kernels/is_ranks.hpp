// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace linkworth::npb::is {

/// Counts keys by value in one byte a value, so that more of the counters stay in the cache; what overflows
/// is kept aside.
class KeyCounts {
  public:
    /// Counts keys in [lowest, lowest + counters.size()); the counters, which belong to the caller, must stay
    /// as they are until `sum`.
    void count(std::span<const int> keys, int lowest, std::span<std::uint8_t> counters);

    /// below[v] = number of keys less than lowest + v.
    void sum(std::span<std::uint32_t> below);

  private:
    std::span<std::uint8_t> counters_;
    std::vector<std::uint32_t> overflows_;  ///< values whose counter wrapped, once for each time
};

}  // namespace linkworth::npb::is
