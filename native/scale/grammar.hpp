// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A folded sequence of symbols, which stand for calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linkworth::scale {

/// Symbols, and loops as negative numbers: -1 - (number of the loop).
using Body = std::vector<std::int64_t>;

struct Grammar {
    Body top;
    std::vector<Body> loops;
};

inline std::size_t loop_of(std::int64_t item) { return static_cast<std::size_t>(-1 - item); }

}  // namespace linkworth::scale
