// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/is/is.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "programs/is/buckets.hpp"
#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton::is {
namespace {

using namespace npb::is;

/// Returns the share of keys below `x` times the largest. A key is the mean of four uniform numbers, so this
/// is the distribution of Irwin and Hall (Irwin 1927; Hall 1927) for four, at 4 x.
double share_below(double x) {
    const double t = 4.0 * x;
    double sum = 0.0, binomial = 1.0;
    for (int k = 0; k < 4 && t > k; ++k) {
        sum += binomial * std::pow(t - k, 4);
        binomial *= -(4.0 - k) / (k + 1.0);
    }
    return sum / 24.0;
}

/// Counts keys. The messages are those of keys that follow their distribution exactly. Real counts differ as
/// far as random keys do, which can also move the boundary between two ranks by a bucket
/// (docs/reference/npb.md states the bound).
class CountingKernel {
  public:
    CountingKernel(Work& work, const Class& problem, int rank, int ranks)
        : work_(work),
          keys_((std::int64_t{1} << problem.log2_keys) / ranks),
          sizes_((std::size_t{1} << problem.log2_buckets) + kTestKeys) {
        const int buckets = 1 << problem.log2_buckets;
        const auto below = [&](std::int64_t keys, int bucket) {
            const double share = share_below(static_cast<double>(bucket) / buckets);
            return std::llround(static_cast<double>(keys) * share);
        };
        std::vector<int> totals;
        for (int bucket = 0; bucket < buckets; ++bucket)
            totals.push_back(
                static_cast<int>(below(keys_ * ranks, bucket + 1) - below(keys_ * ranks, bucket)));
        const std::vector<int> first = assign_buckets(totals, keys_, ranks);
        for (std::size_t r = 0; r + 1 < first.size(); ++r)
            outgoing_.push_back(static_cast<int>(below(keys_, first[r + 1]) - below(keys_, first[r])));
        const auto mine = static_cast<std::size_t>(rank);
        incoming_.assign(outgoing_.size(), outgoing_[mine]);
        received_ = static_cast<double>(outgoing_[mine]) * ranks;
        values_ = std::ldexp(first[mine + 1] - first[mine], problem.log2_largest_key - problem.log2_buckets);
    }

    void change_keys(int) {}
    void count_buckets() {
        work_.count(static_cast<double>(keys_));
        move(1.0, static_cast<double>(keys_));
    }
    std::span<const int> bucket_sizes() const { return sizes_; }
    int* bucket_totals() { return nullptr; }
    /// A line that is written is read first.
    void scatter_keys() {
        work_.count(static_cast<double>(keys_));
        move(3.0, static_cast<double>(keys_));
    }
    std::span<const int> outgoing_counts() const { return outgoing_; }
    std::span<int> incoming_counts() { return incoming_; }
    const int* outgoing() const { return nullptr; }
    int* incoming() { return nullptr; }
    int rank_keys(int) {
        work_.count(received_ + kKeysPerValue * values_);
        move(1.0, received_);
        // The keys from one rank come bucket by bucket, so they touch a line of the counters once at most.
        const double lines = values_ * kIntBytes / Work::kLineBytes;
        const double touched = std::min(received_, lines * static_cast<double>(outgoing_.size()));
        work_.move(2.0 * Work::kLineBytes * touched, kIntBytes * values_);
        return 0;
    }
    void sort() {}
    const int* largest() const { return nullptr; }
    int* largest_before() { return nullptr; }
    bool is_sorted() const { return true; }

  private:
    static constexpr double kIntBytes = sizeof(int);
    /// Adds a pass over keys that moves `times` their bytes.
    void move(double times, double keys) { work_.move(times * kIntBytes * keys, 2.0 * kIntBytes * keys); }

    /// Cost of summing the counter of one key value, in units of counting one key.
    static constexpr double kKeysPerValue = 0.7;

    Work& work_;
    std::int64_t keys_;  ///< of this rank before the exchange
    std::vector<int> sizes_, outgoing_, incoming_;
    double received_, values_;  ///< keys after the exchange, and values that they can have
};
static_assert(Kernel<CountingKernel>);

void check(Arguments arguments, int ranks) {
    refuse_if(rank_problem(class_of("is", kClasses, arguments), ranks));
}

void record(Arguments arguments, RecordingCommunicator& world, Work& work) {
    const Class& problem = class_of("is", kClasses, arguments);
    Timers timers(kPhases, work);
    run(world, 0, timers, [&](auto&& use) {
        CountingKernel kernel(work, problem, world.rank(), world.size());
        return use(kernel);
    });
}

}  // namespace

Skeleton entry() { return {"is", kPhases, check, record}; }

}  // namespace linkworth::skeleton::is
