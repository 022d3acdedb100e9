// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#include "simd_block.hpp"

namespace linkworth::npb {

/// table[indices[l]] in lane l, for kLanes consecutive 16-bit indices. By intrinsics where the processor
/// gathers, because GCC loads lane by lane otherwise; masked, because the plain ones' header makes GCC 12
/// warn of an uninitialised variable.
inline Lanes gather(const double* table, const std::uint16_t* indices) {
#if defined(__AVX512F__)
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(indices));
    return (Lanes)_mm512_mask_i32gather_pd(_mm512_setzero_pd(), 0xff, _mm256_cvtepu16_epi32(packed), table,
                                           8);
#elif defined(__AVX2__)
    const __m128i packed = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(indices));
    const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    return (Lanes)_mm256_mask_i32gather_pd(_mm256_setzero_pd(), table, _mm_cvtepu16_epi32(packed), all, 8);
#else
    Lanes result;
    for (std::size_t lane = 0; lane < kLanes; ++lane) result[lane] = table[indices[lane]];
    return result;
#endif
}

}  // namespace linkworth::npb
