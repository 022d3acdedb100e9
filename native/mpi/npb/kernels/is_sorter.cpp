// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "is_sorter.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "../programs/is_buckets.hpp"
#include "is_partition.hpp"
#include "is_random_keys.hpp"

namespace linkworth::npb::is {

SortKernel::SortKernel(const Class& problem, int rank, int ranks)
    : problem_(problem),
      rank_(rank),
      ranks_(ranks),
      bucket_shift_(problem.log2_largest_key - problem.log2_buckets),
      keys_((std::size_t{1} << problem.log2_keys) / static_cast<std::size_t>(ranks)),
      outgoing_(ranks > 1 ? keys_.size() : 0),
      sizes_((std::size_t{1} << problem.log2_buckets) + kTestKeys),
      totals_(sizes_.size()),
      outgoing_counts_(static_cast<std::size_t>(ranks)),
      incoming_counts_(static_cast<std::size_t>(ranks)) {
    generate_keys(static_cast<std::int64_t>(keys_.size()) * rank, problem.log2_largest_key, keys_);
}

void SortKernel::change_keys(int iteration) {
    const auto place = static_cast<std::size_t>(iteration);
    keys_[place] = iteration;
    keys_[place + kIterations] = static_cast<int>((std::int64_t{1} << problem_.log2_largest_key) - iteration);
}

void SortKernel::count_buckets() {
    const std::size_t buckets = sizes_.size() - kTestKeys;
    is::count_buckets(keys_, bucket_shift_, std::span(sizes_).first(buckets));
    const auto keys = static_cast<std::int64_t>(keys_.size());
    for (std::size_t t = 0; t < kTestKeys; ++t) {
        const std::int64_t index = problem_.tests[t].index;
        sizes_[buckets + t] = index / keys == rank_ ? keys_[static_cast<std::size_t>(index % keys)] : 0;
    }
}

void SortKernel::scatter_keys() {
    const std::span<const int> sizes = std::span(sizes_).first(sizes_.size() - kTestKeys);
    const std::span<const int> totals = std::span(totals_).first(sizes.size());
    const std::vector<int> first = assign_buckets(totals, static_cast<std::int64_t>(keys_.size()), ranks_);
    const auto sum = [&](std::span<const int> of, int begin, int end) {
        return std::accumulate(of.begin() + begin, of.begin() + end, std::int64_t{0});
    };
    for (std::size_t r = 0; r < outgoing_counts_.size(); ++r)
        outgoing_counts_[r] = static_cast<int>(sum(sizes, first[r], first[r + 1]));

    const auto mine = static_cast<std::size_t>(rank_);
    first_value_ = std::int64_t{first[mine]} << bucket_shift_;
    values_ = std::int64_t{first[mine + 1] - first[mine]} << bucket_shift_;
    keys_below_ = sum(totals, 0, first[mine]);
    received_ = static_cast<std::size_t>(sum(totals, first[mine], first[mine + 1]));
    if (incoming_.size() < received_) {
        // A key that changes may move a boundary between ranks by a bucket in a later ranking.
        const int largest_bucket = *std::max_element(totals.begin(), totals.end());
        incoming_ = {};
        incoming_ = HugeArray<int>(received_ + static_cast<std::size_t>(largest_bucket) + 2 * kIterations);
    }
    // On one rank all keys are where they go.
    if (ranks_ > 1) partition(keys_, bucket_shift_, groups(first), sizes, outgoing_.data());
}

std::vector<int> SortKernel::groups(std::span<const int> first_buckets) const {
    // Within what goes to one rank, keys are grouped further where that is cheap, so that the receiver counts
    // in a part of its table that stays in the cache.
    constexpr int kFewGroups = kCheapGroups > 0 ? kCheapGroups : 64;
    const int parts = std::max(kFewGroups / ranks_, 1);
    std::vector<int> result;
    for (std::size_t r = 0; r + 1 < first_buckets.size(); ++r)
        for (int part = 0; part < parts; ++part)
            result.push_back(first_buckets[r] + (first_buckets[r + 1] - first_buckets[r]) * part / parts);
    return result;
}

std::span<std::uint32_t> SortKernel::ranks_of_values() {
    return {reinterpret_cast<std::uint32_t*>(outgoing_.data()), static_cast<std::size_t>(values_)};
}

std::span<std::uint8_t> SortKernel::counters() {
    return {reinterpret_cast<std::uint8_t*>(outgoing_.data() + values_), static_cast<std::size_t>(values_)};
}

int SortKernel::rank_keys(int iteration) {
    const auto values = static_cast<std::size_t>(values_);
    const std::size_t ranks_and_counters = values + (values + sizeof(int) - 1) / sizeof(int);
    if (outgoing_.size() < ranks_and_counters) {
        outgoing_ = {};
        outgoing_ = HugeArray<int>(ranks_and_counters);
    }
    counts_.count({incoming_.data(), received_}, static_cast<int>(first_value_), counters());
    const std::span<std::uint32_t> ranks = ranks_of_values();
    counts_.sum(ranks);

    int passed = 0;
    for (std::size_t t = 0; t < kTestKeys; ++t) {
        const std::int64_t value = totals_[totals_.size() - kTestKeys + t] - first_value_;
        if (value < 0 || value >= values_) continue;
        const TestKey& test = problem_.tests[t];
        const std::int64_t found = keys_below_ + ranks[static_cast<std::size_t>(value)];
        passed += found == test.rank + test.shifts[static_cast<std::size_t>(iteration - 1)];
    }
    return passed;
}

void SortKernel::sort() {
    if (keys_.size() < received_) {
        keys_ = {};
        keys_ = HugeArray<int>(received_);
    }
    const std::span<std::uint32_t> next = ranks_of_values();
    for (std::size_t i = 0; i < received_; ++i)
        keys_[next[static_cast<std::size_t>(incoming_[i] - first_value_)]++] = incoming_[i];

    sorted_ = std::is_sorted(keys_.data(), keys_.data() + received_);
    // Without keys, the edge of this rank's buckets stands for them: no key before lies above it.
    const std::int64_t largest_key = (std::int64_t{1} << problem_.log2_largest_key) - 1;
    smallest_ = received_ > 0 ? keys_[0] : static_cast<int>(std::min(first_value_, largest_key));
    largest_ = received_ > 0 ? keys_[received_ - 1] : smallest_;
}

}  // namespace linkworth::npb::is
