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
      size_((std::size_t{1} << problem.log2_keys) / static_cast<std::size_t>(ranks)),
      bucket_shift_(problem.log2_largest_key - problem.log2_buckets),
      outgoing_(ranks > 1 ? size_ : 0),
      incoming_(ranks > 1 ? 0 : size_),
      sizes_((std::size_t{1} << problem.log2_buckets) + kTestKeys),
      totals_(sizes_.size()),
      outgoing_counts_(static_cast<std::size_t>(ranks)),
      incoming_counts_(static_cast<std::size_t>(ranks)) {
    // On one rank all keys are where they go, and stay there.
    HugeArray<int>& keys = ranks > 1 ? outgoing_ : incoming_;
    generate_keys(static_cast<std::int64_t>(size_) * rank, problem.log2_largest_key, keys);
    if (ranks == 1) return;
    packed_keys_ = PackedKeys(size_, std::min(bucket_shift_, problem.log2_largest_key <= 24 ? 8 : 16));
    packed_keys_.pack(keys);
}

int SortKernel::key(std::size_t index) const { return ranks_ > 1 ? packed_keys_[index] : incoming_[index]; }

void SortKernel::set_key(std::size_t index, int key) {
    if (ranks_ > 1)
        packed_keys_.set(index, key);
    else
        incoming_[index] = key;
}

void SortKernel::change_keys(int iteration) {
    const auto place = static_cast<std::size_t>(iteration);
    set_key(place, iteration);
    set_key(place + kIterations,
            static_cast<int>((std::int64_t{1} << problem_.log2_largest_key) - iteration));
}

void SortKernel::count_buckets() {
    const std::size_t buckets = sizes_.size() - kTestKeys;
    const std::span<int> sizes = std::span(sizes_).first(buckets);
    if (ranks_ > 1)
        is::count_buckets(packed_keys_, bucket_shift_, sizes);
    else
        is::count_buckets(std::span<const int>(incoming_), bucket_shift_, sizes);
    const auto keys = static_cast<std::int64_t>(size_);
    for (std::size_t t = 0; t < kTestKeys; ++t) {
        const std::int64_t index = problem_.tests[t].index;
        sizes_[buckets + t] = index / keys == rank_ ? key(static_cast<std::size_t>(index % keys)) : 0;
    }
}

void SortKernel::scatter_keys() {
    const std::span<const int> sizes = std::span(sizes_).first(sizes_.size() - kTestKeys);
    const std::span<const int> totals = std::span(totals_).first(sizes.size());
    first_buckets_ = assign_buckets(totals, static_cast<std::int64_t>(size_), ranks_);
    const std::vector<int>& first = first_buckets_;
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
    if (ranks_ == 1) return;
    if (incoming_.size() < received_) {
        // A key that changes may move a boundary between ranks by a bucket in a later ranking.
        const int largest_bucket = *std::max_element(totals.begin(), totals.end());
        incoming_ = {};
        incoming_ = HugeArray<int>(received_ + static_cast<std::size_t>(largest_bucket) + 2 * kIterations);
    }
    partition(packed_keys_, bucket_shift_, groups(), sizes, outgoing_.data());
}

std::vector<int> SortKernel::groups() const {
    constexpr std::size_t kFewGroups = kCheapGroups > 0 ? kCheapGroups : 64;
    struct Range {
        int begin, end, parts;
        int width() const { return (end - begin + parts - 1) / parts; }
    };
    std::vector<Range> ranges;
    for (std::size_t r = 0; r + 1 < first_buckets_.size(); ++r)
        if (first_buckets_[r] < first_buckets_[r + 1])
            ranges.push_back({first_buckets_[r], first_buckets_[r + 1], 1});
    // Keys are rare far from the middle: the outer ranks have more values, and need more groups.
    for (std::size_t made = ranges.size(); made < kFewGroups; ++made)
        ++std::max_element(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
              return a.width() < b.width();
          })->parts;
    std::vector<int> result;
    for (const Range& range : ranges)
        for (int part = 0; part < range.parts; ++part)
            result.push_back(range.begin + (range.end - range.begin) * part / range.parts);
    return result;
}

std::vector<KeyRun> SortKernel::runs() const {
    if (ranks_ == 1) return {{incoming_, first_value_, values_}};
    std::vector<std::int64_t> edges;
    for (const int bucket : groups()) {
        const std::int64_t value = std::int64_t{bucket} << bucket_shift_;
        if (value >= first_value_ && value < first_value_ + values_) edges.push_back(value);
    }
    edges.push_back(first_value_ + values_);

    std::vector<KeyRun> result;
    const int* begin = incoming_.data();
    for (const int count : incoming_counts_) {
        const int* const end_of_sender = begin + count;
        for (std::size_t g = 0; g + 1 < edges.size(); ++g) {
            const int* const end =
                std::partition_point(begin, end_of_sender, [&](int key) { return key < edges[g + 1]; });
            result.push_back({{begin, end}, edges[g], edges[g + 1] - edges[g]});
            begin = end;
        }
    }
    return result;
}

void SortKernel::allocate_tables() {
    const auto values = static_cast<std::size_t>(values_);
    const std::size_t bytes = values * (sizeof(std::uint32_t) + sizeof(std::uint8_t)) +
                              (scratch_size() + 1) * sizeof(std::uint16_t);
    const std::size_t size = (bytes + sizeof(int) - 1) / sizeof(int);
    if (outgoing_.size() >= size) return;
    outgoing_ = {};
    outgoing_ = HugeArray<int>(size);
}

std::span<std::uint32_t> SortKernel::ranks_of_values() {
    return {reinterpret_cast<std::uint32_t*>(outgoing_.data()), static_cast<std::size_t>(values_)};
}

std::span<std::uint8_t> SortKernel::counters() {
    return {reinterpret_cast<std::uint8_t*>(outgoing_.data() + values_), static_cast<std::size_t>(values_)};
}

std::span<std::uint16_t> SortKernel::scratch() {
    const std::size_t counters_in_pairs = (static_cast<std::size_t>(values_) + 1) / 2;
    return {reinterpret_cast<std::uint16_t*>(outgoing_.data() + values_) + counters_in_pairs, scratch_size()};
}

int SortKernel::rank_keys(int iteration) {
    allocate_tables();
    const std::vector<KeyRun> received = runs();
    const std::span<std::uint32_t> ranks = ranks_of_values();
    count_runs(received, first_value_, counters(), scratch());
    // The sum is short if a counter of one byte went beyond its end; the keys of the specification do not.
    if (sum_counters(counters(), ranks) != received_) rank_exactly(received, first_value_, ranks);

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
    // What is not needed any more makes room for the sorted keys.
    packed_keys_ = {};
    const std::span<const std::uint32_t> ranks = ranks_of_values();
    HugeArray<std::uint32_t> next(ranks.size());
    std::copy(ranks.begin(), ranks.end(), next.data());
    outgoing_ = {};
    HugeArray<int> sorted(received_);
    for (std::size_t i = 0; i < received_; ++i)
        sorted[next[static_cast<std::size_t>(incoming_[i] - first_value_)]++] = incoming_[i];

    sorted_ = std::is_sorted(sorted.data(), sorted.data() + received_);
    // Without keys, the edge of this rank's buckets stands for them: no key before lies above it.
    const std::int64_t largest_key = (std::int64_t{1} << problem_.log2_largest_key) - 1;
    smallest_ = received_ > 0 ? sorted[0] : static_cast<int>(std::min(first_value_, largest_key));
    largest_ = received_ > 0 ? sorted[received_ - 1] : smallest_;
}

}  // namespace linkworth::npb::is
