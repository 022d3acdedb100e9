// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "is_packed_keys.hpp"

namespace linkworth::npb::is {

/// sizes[b] = number of keys with key >> shift = b.
void count_buckets(std::span<const int> keys, int shift, std::span<int> sizes);
/// The same; `shift` is at least the low bits of the keys.
void count_buckets(const PackedKeys& keys, int shift, std::span<int> sizes);

/// Groups up to which `partition` costs little more than copying; 0 where the processor cannot compress
/// vectors.
#if defined(__AVX512F__)
inline constexpr int kCheapGroups = 8;
#else
inline constexpr int kCheapGroups = 0;
#endif

/// Copies the keys to `output`, group after group; within a group they keep their order. Group g has the
/// buckets (key >> shift) from `first_buckets[g]` up to the next one's first, the last group all the rest;
/// `bucket_sizes` are those of count_buckets.
void partition(const PackedKeys& keys, int shift, std::span<const int> first_buckets,
               std::span<const int> bucket_sizes, int* output);

}  // namespace linkworth::npb::is
