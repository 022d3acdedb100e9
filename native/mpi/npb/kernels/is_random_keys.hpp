// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace linkworth::npb::is {

/// Keys [first, first + keys.size()) of the benchmark's sequence: floor(K / 4 (r1 + r2 + r3 + r4)) of four
/// successive random numbers each, K = 2^log2_largest_key (NAS-95-020, 3.5).
void generate_keys(std::int64_t first, int log2_largest_key, std::span<int> keys);

}  // namespace linkworth::npb::is
