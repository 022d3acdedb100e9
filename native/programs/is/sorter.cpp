// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "sorter.hpp"

#include <algorithm>
#include <numeric>

#include "../common/random.hpp"
#include "buckets.hpp"

namespace linkworth::npb::is {
namespace {

constexpr int kNumbersPerKey = 4;

/// Fills in the keys from `first` on: each is the mean of four random numbers, scaled.
void generate_keys(std::int64_t first, int log2_largest_key, std::vector<int>& keys) {
    RandomSequence sequence(multiply(kSeed, jump(kNumbersPerKey * static_cast<std::uint64_t>(first))));
    const double quarter = static_cast<double>(std::int64_t{1} << log2_largest_key) / kNumbersPerKey;
    for (int& key : keys) {
        double sum = 0.0;
        for (int number = 0; number < kNumbersPerKey; ++number) sum += sequence.next();
        key = static_cast<int>(quarter * sum);
    }
}

}  // namespace

SortKernel::SortKernel(const Class& problem, int rank, int ranks)
    : problem_(problem),
      rank_(rank),
      ranks_(ranks),
      bucket_shift_(problem.log2_largest_key - problem.log2_buckets),
      keys_((std::size_t{1} << problem.log2_keys) / static_cast<std::size_t>(ranks)),
      outgoing_(keys_.size()),
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
    std::fill(sizes_.begin(), sizes_.end(), 0);
    const int shift = bucket_shift_;
    for (const int key : keys_) ++sizes_[static_cast<std::size_t>(key >> shift)];
    const auto keys = static_cast<std::int64_t>(keys_.size());
    for (std::size_t t = 0; t < kTestKeys; ++t) {
        const std::int64_t index = problem_.tests[t].index;
        if (index / keys == rank_) sizes_[buckets() + t] = keys_[static_cast<std::size_t>(index % keys)];
    }
}

void SortKernel::scatter_keys() {
    outgoing_.resize(keys_.size());
    std::vector<int> next(buckets());  // where each bucket's next key goes
    std::exclusive_scan(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(buckets()), next.begin(),
                        0);
    const int shift = bucket_shift_;
    for (const int key : keys_) {
        int& place = next[static_cast<std::size_t>(key >> shift)];
        outgoing_[static_cast<std::size_t>(place++)] = key;
    }

    const std::span<const int> totals = std::span(totals_).first(buckets());
    const std::vector<int> first = assign_buckets(totals, static_cast<std::int64_t>(keys_.size()), ranks_);
    const auto sum = [&](std::span<const int> of, int begin, int end) {
        return std::accumulate(of.begin() + begin, of.begin() + end, std::int64_t{0});
    };
    for (std::size_t r = 0; r < outgoing_counts_.size(); ++r)
        outgoing_counts_[r] = static_cast<int>(sum(sizes_, first[r], first[r + 1]));

    const auto mine = static_cast<std::size_t>(rank_);
    first_value_ = std::int64_t{first[mine]} << bucket_shift_;
    values_ = std::int64_t{first[mine + 1] - first[mine]} << bucket_shift_;
    keys_below_ = sum(totals, 0, first[mine]);
    received_ = static_cast<std::size_t>(sum(totals, first[mine], first[mine + 1]));
    if (incoming_.size() < received_) {
        // A key that changes may move a boundary between ranks by a bucket in a later ranking.
        const int largest_bucket = ranks_ > 1 ? *std::max_element(totals.begin(), totals.end()) : 0;
        incoming_ = std::vector<int>();
        incoming_.resize(received_ + static_cast<std::size_t>(largest_bucket));
    }
}

int SortKernel::rank_keys(int iteration) {
    // The keys that went out are not needed any more: their memory takes the counts.
    std::vector<int>& below = outgoing_;
    const auto values = static_cast<std::size_t>(values_);
    if (below.size() < values) below.resize(values);
    std::fill_n(below.begin(), values, 0);
    const auto first_value = static_cast<int>(first_value_);
    for (std::size_t i = 0; i < received_; ++i) ++below[static_cast<std::size_t>(incoming_[i] - first_value)];
    std::exclusive_scan(below.begin(), below.begin() + values_, below.begin(), 0);

    int passed = 0;
    for (std::size_t t = 0; t < kTestKeys; ++t) {
        const std::int64_t value = totals_[buckets() + t] - first_value_;
        if (value < 0 || value >= values_) continue;
        const TestKey& test = problem_.tests[t];
        const std::int64_t found = keys_below_ + below[static_cast<std::size_t>(value)];
        passed += found == test.rank + test.shifts[static_cast<std::size_t>(iteration - 1)];
    }
    return passed;
}

void SortKernel::sort() {
    std::vector<int>& next = outgoing_;  // the rank of each value's next key
    keys_ = std::vector<int>();
    std::vector<int> sorted(received_);
    for (std::size_t i = 0; i < received_; ++i)
        sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(incoming_[i] - first_value_)]++)] =
            incoming_[i];

    sorted_ = std::is_sorted(sorted.begin(), sorted.end());
    // Without keys, the edge of this rank's buckets is used instead: no key before is above it.
    const std::int64_t largest_key = (std::int64_t{1} << problem_.log2_largest_key) - 1;
    smallest_ = received_ > 0 ? sorted.front() : static_cast<int>(std::min(first_value_, largest_key));
    largest_ = received_ > 0 ? sorted.back() : smallest_;
}

}  // namespace linkworth::npb::is
