// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../huge_array.hpp"

namespace linkworth::npb::is {

/// Counts keys by value in one byte a value, so that more of the counters stay in the cache; what overflows
/// is kept aside.
class KeyCounts {
  public:
    /// Counts keys in [lowest, lowest + values).
    void count(std::span<const int> keys, int lowest, std::int64_t values);

    /// below[v] = number of keys less than lowest + v.
    void sum(std::span<std::uint32_t> below);

  private:
    HugeArray<std::uint8_t> counts_;
    std::vector<std::uint32_t> overflows_;  ///< values whose counter wrapped, once for each time
};

}  // namespace linkworth::npb::is
