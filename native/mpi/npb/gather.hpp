// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "simd_block.hpp"

namespace linkworth::npb {

/// table[indices[l]] in lane l, for eight consecutive 16-bit indices. By intrinsics, because GCC loads lane
/// by lane otherwise.
inline Lanes8 gather8(const double* table, const std::uint16_t* indices) {
#if defined(__AVX512F__)
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(indices));
    // The masked form: the plain one's header makes GCC 12 warn of an uninitialised variable.
    return (Lanes8)_mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, _mm256_cvtepu16_epi32(packed), table,
                                            8);
#else
    return Lanes8{table[indices[0]], table[indices[1]], table[indices[2]], table[indices[3]],
                  table[indices[4]], table[indices[5]], table[indices[6]], table[indices[7]]};
#endif
}

/// Sum of the lanes.
inline double sum_lanes(const Lanes8& a) {
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

}  // namespace linkworth::npb
