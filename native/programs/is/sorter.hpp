// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "is.hpp"

namespace linkworth::npb::is {

/// One rank's keys and their ranking. The concept describes each function.
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
    const int* outgoing() const { return outgoing_.data(); }
    int* incoming() { return incoming_.data(); }
    int rank_keys(int iteration);
    void sort();
    const int* largest() const { return &largest_; }
    int* largest_before() { return &largest_before_; }
    bool is_sorted() const { return sorted_ && largest_before_ <= smallest_; }

  private:
    std::size_t buckets() const { return sizes_.size() - kTestKeys; }

    Class problem_;
    int rank_, ranks_;
    int bucket_shift_;       ///< bucket = key >> this
    std::vector<int> keys_;  ///< of this rank
    std::vector<int>
        outgoing_;  ///< the same in the order of their buckets; after the exchange: counts by value
    std::vector<int> incoming_;
    std::vector<int> sizes_, totals_;
    std::vector<int> outgoing_counts_, incoming_counts_;
    std::int64_t first_value_ = 0, values_ = 0;  ///< of this rank's buckets
    std::int64_t keys_below_ = 0;                ///< in the buckets of the ranks before
    std::size_t received_ = 0;
    int smallest_ = 0, largest_ = 0, largest_before_ = 0;
    bool sorted_ = false;
};

}  // namespace linkworth::npb::is
