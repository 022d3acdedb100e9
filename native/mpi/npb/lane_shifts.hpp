// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "simd_block.hpp"

/// Movements of numbers between the lanes of consecutive vectors of a row.
namespace linkworth::npb {

/// The vector whose lane l is element indices[l] of a and then b.
template <std::size_t... indices>
inline Lanes pick(const Lanes& a, const Lanes& b, std::index_sequence<indices...>) {
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(a, b, static_cast<int>(indices)...);
#else
    return __builtin_shuffle(a, b, Bits{indices...});
#endif
}

/// first + step * l, for each lane l.
template <std::size_t first, std::size_t step, std::size_t... lanes>
constexpr auto stepped(std::index_sequence<lanes...>) {
    return std::index_sequence<first + step * lanes...>{};
}
/// first, first + kLanes, first + 1, first + 1 + kLanes, ...
template <std::size_t first, std::size_t... lanes>
constexpr auto alternating(std::index_sequence<lanes...>) {
    return std::index_sequence<first + lanes / 2 + lanes % 2 * kLanes...>{};
}
using LaneNumbers = std::make_index_sequence<kLanes>;

/// Each element's left neighbour, where `before` comes before `here`; for single numbers as for vectors.
inline double left_neighbours(double before, double) { return before; }
inline Lanes left_neighbours(const Lanes& before, const Lanes& here) {
    return pick(before, here, stepped<kLanes - 1, 1>(LaneNumbers{}));
}
inline double right_neighbours(double, double after) { return after; }
inline Lanes right_neighbours(const Lanes& here, const Lanes& after) {
    return pick(here, after, stepped<1, 1>(LaneNumbers{}));
}

inline Lanes even_elements(const Lanes& low, const Lanes& high) {
    return pick(low, high, stepped<0, 2>(LaneNumbers{}));
}
inline Lanes odd_elements(const Lanes& low, const Lanes& high) {
    return pick(low, high, stepped<1, 2>(LaneNumbers{}));
}
/// The lower half of a row that alternates between even and odd, and the upper half.
inline Lanes low_alternating(const Lanes& even, const Lanes& odd) {
    return pick(even, odd, alternating<0>(LaneNumbers{}));
}
inline Lanes high_alternating(const Lanes& even, const Lanes& odd) {
    return pick(even, odd, alternating<kLanes / 2>(LaneNumbers{}));
}

}  // namespace linkworth::npb
