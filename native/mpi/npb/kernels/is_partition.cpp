// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "is_partition.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace linkworth::npb::is {
namespace {

/// Keys: the processor does not run far enough ahead by itself.
constexpr std::size_t kPrefetchAhead = 512;

/// Unsigned, so that the index need not be extended.
inline std::size_t bucket_of(int key, int shift) { return static_cast<unsigned>(key) >> shift; }

/// Where each group's next key goes.
std::vector<int*> starts_of(std::span<const int> first_buckets, std::span<const int> bucket_sizes,
                            int* output) {
    std::vector<int*> starts;
    for (std::size_t g = 0, bucket = 0; g < first_buckets.size(); ++g) {
        for (; bucket < static_cast<std::size_t>(first_buckets[g]); ++bucket) output += bucket_sizes[bucket];
        starts.push_back(output);
    }
    return starts;
}

void partition_one_by_one(std::span<const int> keys, int shift, std::span<const int> first_buckets,
                          std::size_t buckets, std::vector<int*>& next) {
    std::vector<std::uint32_t> group_of(buckets);
    for (std::size_t bucket = 0, g = 0; bucket < buckets; ++bucket) {
        while (g + 1 < first_buckets.size() && bucket >= static_cast<std::size_t>(first_buckets[g + 1])) ++g;
        group_of[bucket] = static_cast<std::uint32_t>(g);
    }
    for (const int key : keys) {
        int*& place = next[group_of[bucket_of(key, shift)]];
        *place++ = key;
    }
}

#if defined(__AVX512F__)

constexpr std::size_t kVectorKeys = 16;

/// Compresses the members of each of `groups` out of a vector of keys. Returns the number of keys done.
template <std::size_t groups>
std::size_t partition_vectors(std::span<const int> keys, int shift, std::span<const int> first_buckets,
                              std::vector<int*>& next) {
    int* to[groups];
    __m512i lowest[groups];
    for (std::size_t g = 0; g < groups; ++g) {
        to[g] = next[g];
        lowest[g] = _mm512_set1_epi32(static_cast<int>(static_cast<unsigned>(first_buckets[g]) << shift));
    }
    std::size_t done = 0;
    for (; done + kVectorKeys <= keys.size(); done += kVectorKeys) {
        __builtin_prefetch(keys.data() + done + kPrefetchAhead);
        const __m512i vector = _mm512_loadu_si512(keys.data() + done);
        __mmask16 not_below = 0xffff;
#pragma GCC unroll 8
        for (std::size_t g = 0; g < groups; ++g) {
            const __mmask16 above = g + 1 < groups ? _mm512_cmpge_epu32_mask(vector, lowest[g + 1]) : 0;
            const auto members = static_cast<__mmask16>(not_below & ~above);
            const int count = __builtin_popcount(members);
            // Masked, because what lies beyond may be the next group's and already there.
            _mm512_mask_storeu_epi32(to[g], static_cast<__mmask16>((1u << count) - 1),
                                     _mm512_maskz_compress_epi32(members, vector));
            to[g] += count;
            not_below = above;
        }
    }
    std::copy_n(to, groups, next.begin());
    return done;
}

/// The loop for this number of groups, from 1 to kCheapGroups.
template <std::size_t... below>
std::size_t partition_vectors(std::index_sequence<below...>, std::span<const int> keys, int shift,
                              std::span<const int> first_buckets, std::vector<int*>& next) {
    std::size_t done = 0;
    ((first_buckets.size() == below + 1 &&
      (done = partition_vectors<below + 1>(keys, shift, first_buckets, next))),
     ...);
    return done;
}

#endif

}  // namespace

void count_buckets(std::span<const int> keys, int shift, std::span<int> sizes) {
    // Several tables, so that neighbours in one bucket need not wait for each other's sum.
    constexpr std::size_t kTables = 4, kLine = 16;
    const std::size_t buckets = sizes.size();
    std::vector<int> tables(kTables * buckets, 0);
    int* const counts = tables.data();
    std::size_t i = 0;
    for (; i + kLine <= keys.size(); i += kLine) {
        __builtin_prefetch(keys.data() + i + kPrefetchAhead);
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kLine; ++k)
            ++counts[k % kTables * buckets + bucket_of(keys[i + k], shift)];
    }
    for (; i < keys.size(); ++i) ++counts[bucket_of(keys[i], shift)];
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        sizes[bucket] = 0;
        for (std::size_t t = 0; t < kTables; ++t) sizes[bucket] += counts[t * buckets + bucket];
    }
}

void partition(std::span<const int> keys, int shift, std::span<const int> first_buckets,
               std::span<const int> bucket_sizes, int* output) {
    std::vector<int*> next = starts_of(first_buckets, bucket_sizes, output);
    std::size_t done = 0;
#if defined(__AVX512F__)
    done = partition_vectors(std::make_index_sequence<kCheapGroups>{}, keys, shift, first_buckets, next);
#endif
    partition_one_by_one(keys.subspan(done), shift, first_buckets, bucket_sizes.size(), next);
}

}  // namespace linkworth::npb::is
