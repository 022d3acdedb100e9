// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Pseudo-random numbers that depend only on a key, so not on the order of the replay.
#pragma once

#include <cstdint>

namespace linkworth::replay {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
inline std::uint64_t scramble(std::uint64_t state) {
    state += 0x9e3779b97f4a7c15U;
    state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
    state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
    return state ^ (state >> 31U);
}

/// Returns a number in (0, 1].
inline double unit(std::uint64_t bits) { return static_cast<double>((bits >> 11U) + 1) * 0x1p-53; }

}  // namespace linkworth::replay
