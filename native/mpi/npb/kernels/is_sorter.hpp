// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../huge_array.hpp"
#include "../programs/is.hpp"
#include "is_packed_keys.hpp"
#include "is_ranks.hpp"

namespace linkworth::npb::is {

/// One rank's keys and their ranking; see the concept for each function.
class SortKernel {
  public:
    SortKernel(const Class& problem, int rank, int ranks);

    void change_keys(int iteration);
    void count_buckets();
    std::span<const int> bucket_sizes() const { return sizes_; }
    int* bucket_totals() { return totals_.data(); }
    void scatter_keys();
    std::span<const int> outgoing_counts() const { return outgoing_counts_; }
    std::span<int> incoming_counts() { return incoming_counts_; }
    const int* outgoing() const { return ranks_ > 1 ? outgoing_.data() : incoming_.data(); }
    int* incoming() { return incoming_.data(); }
    int rank_keys(int iteration);
    void sort();
    const int* largest() const { return &largest_; }
    int* largest_before() { return &largest_before_; }
    bool is_sorted() const { return sorted_ && largest_before_ <= smallest_; }

  private:
    int key(std::size_t index) const;
    void set_key(std::size_t index, int key);
    /// Within what goes to one rank, keys are grouped further where that is cheap, so that the receiver
    /// counts in a part of its table that stays in the cache.
    std::vector<int> groups() const;
    /// The keys received, in the groups of their senders.
    std::vector<KeyRun> runs() const;
    void allocate_tables();
    /// Ranks within this rank's keys, one a key value; in the memory of the keys that went out.
    std::span<std::uint32_t> ranks_of_values();
    /// One a key value; behind those ranks.
    std::span<std::uint8_t> counters();
    /// Behind the counters.
    std::span<std::uint16_t> scratch();
    Class problem_;
    int rank_, ranks_;
    std::size_t size_;        ///< keys of this rank
    int bucket_shift_;        ///< bucket = key >> this
    PackedKeys packed_keys_;  ///< empty on one rank
    HugeArray<int> outgoing_, incoming_;
    std::vector<int> sizes_, totals_;
    std::vector<int> outgoing_counts_, incoming_counts_;
    std::vector<int> first_buckets_;             ///< of each rank, and the number of buckets
    std::int64_t first_value_ = 0, values_ = 0;  ///< of this rank's buckets
    std::int64_t keys_below_ = 0;                ///< in the buckets of the ranks before
    std::size_t received_ = 0;
    int smallest_ = 0, largest_ = 0, largest_before_ = 0;
    bool sorted_ = false;
};

}  // namespace linkworth::npb::is
