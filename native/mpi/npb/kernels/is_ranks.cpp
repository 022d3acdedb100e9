// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "is_ranks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#if defined(__AVX512VBMI2__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
#define LINKWORTH_SPLITS_KEYS 1
#include <immintrin.h>
#elif defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace linkworth::npb::is {
namespace {

/// Keys: the processor does not run far enough ahead by itself.
constexpr std::size_t kPrefetchAhead = 512;
constexpr std::size_t kLine = 16;

void count_directly(std::span<const int> keys, std::int64_t lowest, std::uint8_t* counters) {
    const auto base = static_cast<unsigned>(lowest);
    std::size_t i = 0;
    for (; i + kLine <= keys.size(); i += kLine) {
        __builtin_prefetch(keys.data() + i + kPrefetchAhead);
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kLine; ++k) ++counters[static_cast<unsigned>(keys[i + k]) - base];
    }
    for (; i < keys.size(); ++i) ++counters[static_cast<unsigned>(keys[i]) - base];
}

#if defined(LINKWORTH_SPLITS_KEYS)

/// Values whose counters stay in the first-level cache for the greater part, and that 16 bits tell apart.
constexpr std::int64_t kPartValues = std::int64_t{1} << 16;
constexpr std::size_t kMostParts = 8;
/// Keys split at a time: so many that a part's counters serve often once they are in the first-level cache,
/// so few that the parts stay in the second-level one.
constexpr std::size_t kChunkKeys = std::size_t{1} << 16;
constexpr std::size_t kVectorKeys = 32;
/// An even distance would put all parts into the same lines of the cache.
constexpr std::size_t kPartDistance = kChunkKeys + 5 * kVectorKeys;

using PartEnds = std::array<std::uint16_t*, kMostParts>;

/// Puts keys - lowest - part * width where `ends` of the part points, and moves that on. Returns the number
/// of keys done: whole vectors.
template <std::size_t parts>
std::size_t split(std::span<const int> keys, std::int64_t lowest, std::int64_t width, PartEnds& ends) {
    __m512i firsts[parts];
    for (std::size_t p = 0; p < parts; ++p)
        firsts[p] = _mm512_set1_epi32(static_cast<int>(lowest + static_cast<std::int64_t>(p) * width));
    const __m512i next_part = _mm512_set1_epi16(static_cast<short>(width));
    std::uint16_t* to[parts];
    std::copy_n(ends.data(), parts, to);

    std::size_t done = 0;
    for (; done + kVectorKeys <= keys.size(); done += kVectorKeys) {
        const int* const from = keys.data() + done;
        __builtin_prefetch(from + kPrefetchAhead);
        __builtin_prefetch(from + kPrefetchAhead + kLine);
        const __m512i low_half = _mm512_loadu_si512(from), high_half = _mm512_loadu_si512(from + kLine);
        const auto narrow = [&](const __m512i& half) {
            return _mm512_maskz_cvtepi32_epi16(0xffff, _mm512_sub_epi32(half, firsts[0]));
        };
        __m512i offsets =
            _mm512_maskz_inserti64x4(0xff, _mm512_castsi256_si512(narrow(low_half)), narrow(high_half), 1);
        std::uint32_t below = 0;  // keys of the parts before
#pragma GCC unroll 8
        for (std::size_t p = 0; p < parts; ++p) {
            std::uint32_t below_next = ~std::uint32_t{0};
            if (p + 1 < parts) {
                const auto sign = [&](const __m512i& half) -> std::uint32_t {
                    return _mm512_movepi32_mask(_mm512_sub_epi32(half, firsts[p + 1]));
                };
                below_next = sign(low_half) | sign(high_half) << kLine;
            }
            const __mmask32 members = below_next & ~below;
            const int count = __builtin_popcount(members);
            // Masked: stores that overlap the ones before are slow.
            _mm512_mask_storeu_epi16(to[p], static_cast<__mmask32>((std::uint64_t{1} << count) - 1),
                                     _mm512_maskz_compress_epi16(members, offsets));
            to[p] += count;
            offsets = _mm512_sub_epi16(offsets, next_part);
            below = below_next;
        }
    }
    std::copy_n(to, parts, ends.data());
    return done;
}

/// The loop for this number of parts, from 2 to kMostParts.
template <std::size_t... below>
std::size_t split(std::index_sequence<below...>, std::size_t parts, std::span<const int> keys,
                  std::int64_t lowest, std::int64_t width, PartEnds& ends) {
    std::size_t done = 0;
    ((parts == below + 2 && (done = split<below + 2>(keys, lowest, width, ends))), ...);
    return done;
}

void count_offsets(std::span<const std::uint16_t> offsets, std::uint8_t* counters) {
    std::size_t i = 0;
    for (; i + kLine <= offsets.size(); i += kLine)
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kLine; ++k) ++counters[offsets[i + k]];
    for (; i < offsets.size(); ++i) ++counters[offsets[i]];
}

void count_in_parts(const KeyRun& run, std::size_t parts, std::uint8_t* counters, std::uint16_t* scratch) {
    const auto part_count = static_cast<std::int64_t>(parts);
    const std::int64_t width = (run.values + part_count - 1) / part_count;
    for (std::size_t begin = 0; begin < run.keys.size(); begin += kChunkKeys) {
        const std::span<const int> chunk =
            run.keys.subspan(begin, std::min(kChunkKeys, run.keys.size() - begin));
        PartEnds ends{};
        for (std::size_t p = 0; p < parts; ++p) ends[p] = scratch + p * kPartDistance;
        const std::size_t done =
            split(std::make_index_sequence<kMostParts - 1>{}, parts, chunk, run.lowest, width, ends);
        for (std::size_t p = 0; p < parts; ++p)
            count_offsets({scratch + p * kPartDistance, ends[p]},
                          counters + static_cast<std::int64_t>(p) * width);
        count_directly(chunk.subspan(done), run.lowest, counters);
    }
}

#endif

}  // namespace

std::size_t scratch_size() {
#if defined(LINKWORTH_SPLITS_KEYS)
    return kMostParts * kPartDistance;
#else
    return 0;
#endif
}

void count_runs(std::span<const KeyRun> runs, std::int64_t lowest, std::span<std::uint8_t> counters,
                [[maybe_unused]] std::span<std::uint16_t> scratch) {
    std::fill(counters.begin(), counters.end(), std::uint8_t{0});
    for (const KeyRun& run : runs) {
        std::uint8_t* const own = counters.data() + (run.lowest - lowest);
#if defined(LINKWORTH_SPLITS_KEYS)
        const auto parts = static_cast<std::size_t>((run.values + kPartValues - 1) / kPartValues);
        if (parts >= 2 && parts <= kMostParts) {
            count_in_parts(run, parts, own, scratch.data());
            continue;
        }
#endif
        count_directly(run.keys, run.lowest, own);
    }
}

std::uint32_t sum_counters(std::span<const std::uint8_t> counters, std::span<std::uint32_t> below) {
    std::uint32_t keys = 0;
    std::size_t value = 0;
#if defined(__AVX512F__)
    constexpr std::size_t kValues = 16;
    // The forms with a mask: some versions of GCC warn of what the others leave undefined.
    const __m512i none = _mm512_setzero_si512(), last = _mm512_set1_epi32(kValues - 1);
    __m512i before = none;
    for (; value + kValues <= counters.size(); value += kValues) {
        const __m512i counts = _mm512_maskz_cvtepu8_epi32(
            0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(counters.data() + value)));
        __m512i sums = counts;
        sums = _mm512_add_epi32(sums, _mm512_maskz_alignr_epi32(0xffff, sums, none, kValues - 1));
        sums = _mm512_add_epi32(sums, _mm512_maskz_alignr_epi32(0xffff, sums, none, kValues - 2));
        sums = _mm512_add_epi32(sums, _mm512_maskz_alignr_epi32(0xffff, sums, none, kValues - 4));
        sums = _mm512_add_epi32(sums, _mm512_maskz_alignr_epi32(0xffff, sums, none, kValues - 8));
        _mm512_storeu_si512(below.data() + value, _mm512_add_epi32(before, _mm512_sub_epi32(sums, counts)));
        before = _mm512_add_epi32(before, _mm512_maskz_permutexvar_epi32(0xffff, last, sums));
    }
    if (value > 0) keys = below[value - 1] + counters[value - 1];
#endif
    for (; value < counters.size(); ++value) {
        below[value] = keys;
        keys += counters[value];
    }
    return keys;
}

void rank_exactly(std::span<const KeyRun> runs, std::int64_t lowest, std::span<std::uint32_t> below) {
    std::fill(below.begin(), below.end(), 0u);
    for (const KeyRun& run : runs)
        for (const int key : run.keys) ++below[static_cast<std::size_t>(key - lowest)];
    std::uint32_t keys = 0;
    for (std::uint32_t& place : below) keys += std::exchange(place, keys);
}

}  // namespace linkworth::npb::is
