// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include "is_partition.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace linkworth::npb::is {
namespace {

/// Words: the processor does not run far enough ahead by itself.
constexpr std::size_t kPrefetchAhead = 512;
constexpr std::size_t kLine = 16;

/// Unsigned, so that the index need not be extended.
inline std::size_t bucket_of(int key, int shift) { return static_cast<unsigned>(key) >> shift; }

/// Several tables, so that neighbours in one bucket need not wait for each other's sum.
class BucketCounters {
  public:
    explicit BucketCounters(std::size_t buckets) : buckets_(buckets), tables_(kTables * buckets, 0) {}
    void count(std::size_t turn, std::size_t bucket) { ++tables_[turn % kTables * buckets_ + bucket]; }
    void sum(std::span<int> sizes) const {
        for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
            sizes[bucket] = 0;
            for (std::size_t t = 0; t < kTables; ++t) sizes[bucket] += tables_[t * buckets_ + bucket];
        }
    }

  private:
    static constexpr std::size_t kTables = 4;
    std::size_t buckets_;
    std::vector<int> tables_;
};

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

void partition_one_by_one(const PackedKeys& keys, int shift, std::span<const int> first_buckets,
                          std::size_t buckets, std::vector<int*>& next) {
    std::vector<std::uint32_t> group_of(buckets);
    for (std::size_t bucket = 0, g = 0; bucket < buckets; ++bucket) {
        while (g + 1 < first_buckets.size() && bucket >= static_cast<std::size_t>(first_buckets[g + 1])) ++g;
        group_of[bucket] = static_cast<std::uint32_t>(g);
    }
    alignas(64) int block[PackedKeys::kBlock];
    for (std::size_t first = 0; first < keys.size(); first += PackedKeys::kBlock) {
        keys.unpack(first, block);
        for (const int key : block) {
            int*& place = next[group_of[bucket_of(key, shift)]];
            *place++ = key;
        }
    }
}

#if defined(__AVX512F__)

constexpr std::size_t kVectorKeys = 16;

/// Compresses the members of each of `groups` out of every vector of keys.
template <std::size_t groups>
void partition_vectors(const PackedKeys& keys, int shift, std::span<const int> first_buckets,
                       std::span<int*> next) {
    int* to[groups];
    __m512i lowest[groups];
    for (std::size_t g = 0; g < groups; ++g) {
        to[g] = next[g];
        lowest[g] = _mm512_set1_epi32(static_cast<int>(static_cast<unsigned>(first_buckets[g]) << shift));
    }
    alignas(64) int block[PackedKeys::kBlock];
    for (std::size_t first = 0; first < keys.size(); first += PackedKeys::kBlock) {
        keys.unpack(first, block);
        for (std::size_t i = 0; i < PackedKeys::kBlock; i += kVectorKeys) {
            const __m512i vector = _mm512_load_si512(block + i);
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
    }
}

/// The loop for this number of groups, if from 1 to kCheapGroups; false if it is not.
template <std::size_t... below>
bool partition_vectors(std::index_sequence<below...>, const PackedKeys& keys, int shift,
                       std::span<const int> first_buckets, std::span<int*> next) {
    return ((first_buckets.size() == below + 1 &&
             (partition_vectors<below + 1>(keys, shift, first_buckets, next), true)) ||
            ...);
}

#endif

}  // namespace

void count_buckets(std::span<const int> keys, int shift, std::span<int> sizes) {
    BucketCounters counters(sizes.size());
    std::size_t i = 0;
    for (; i + kLine <= keys.size(); i += kLine) {
        __builtin_prefetch(keys.data() + i + kPrefetchAhead);
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kLine; ++k) counters.count(k, bucket_of(keys[i + k], shift));
    }
    for (; i < keys.size(); ++i) counters.count(0, bucket_of(keys[i], shift));
    counters.sum(sizes);
}

void count_buckets(const PackedKeys& keys, int shift, std::span<int> sizes) {
    BucketCounters counters(sizes.size());
    // Single halves of the pairs, in whatever order: taking pairs apart costs more than loading twice.
    const auto* const halves = reinterpret_cast<const unsigned char*>(keys.high_pairs().data());
    const int high_shift = shift - keys.low_bits();
    for (std::size_t i = 0; i < keys.size(); i += kLine) {
        __builtin_prefetch(halves + (i + kPrefetchAhead) * sizeof(std::uint16_t));
#pragma GCC unroll 16
        for (std::size_t k = 0; k < kLine; ++k) {
            std::uint16_t high;
            std::memcpy(&high, halves + (i + k) * sizeof high, sizeof high);
            counters.count(k, bucket_of(high, high_shift));
        }
    }
    counters.sum(sizes);
}

void partition(const PackedKeys& keys, int shift, std::span<const int> first_buckets,
               std::span<const int> bucket_sizes, int* output) {
    std::vector<int*> next = starts_of(first_buckets, bucket_sizes, output);
#if defined(__AVX512F__)
    if (partition_vectors(std::make_index_sequence<kCheapGroups>{}, keys, shift, first_buckets, next)) return;
#endif
    partition_one_by_one(keys, shift, first_buckets, bucket_sizes.size(), next);
}

}  // namespace linkworth::npb::is
