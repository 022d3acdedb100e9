// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linkworth::npb::is {

/// Assigns buckets to ranks: rank r ranks those from result[r] up to result[r + 1]. In the order of their
/// keys, each rank takes buckets until all ranks up to it have `keys_per_rank` keys each or more. The last
/// one takes the rest. A rank may be left without any if a single bucket is larger than a rank's share.
inline std::vector<int> assign_buckets(std::span<const int> bucket_sizes, std::int64_t keys_per_rank,
                                       int ranks) {
    const int buckets = static_cast<int>(bucket_sizes.size());
    std::vector<int> first(static_cast<std::size_t>(ranks) + 1, buckets);
    first[0] = 0;
    std::int64_t keys = 0;
    int rank = 0;
    for (int bucket = 0; bucket < buckets && rank + 1 < ranks; ++bucket) {
        keys += bucket_sizes[static_cast<std::size_t>(bucket)];
        if (keys >= (rank + 1) * keys_per_rank) first[static_cast<std::size_t>(++rank)] = bucket + 1;
    }
    return first;
}

}  // namespace linkworth::npb::is
