// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// IS as its specification describes it (NAS-95-020, 3.5, with the buckets of NPB 2 and later), without
// anything done for speed: the control of bench_is.py. Usage: plain_is CLASS, under mpiexec.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "reference/is.hpp"

using namespace linkworth::npb::is;

namespace {

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        if (exponent % 2 == 1) result *= base;
    return result;
}

class Ranking {
  public:
    Ranking(const Class& problem, int rank, int ranks)
        : problem_(problem),
          rank_(rank),
          ranks_(ranks),
          shift_(problem.log2_largest_key - problem.log2_buckets),
          buckets_(1 << problem.log2_buckets),
          keys_((std::int64_t{1} << problem.log2_keys) / ranks),
          capacity_(std::max(keys_ * 3 / 2, std::int64_t{1} << problem.log2_largest_key)) {
        // The pseudorandom numbers of NAS-95-020, 2.3: x times 5^13 modulo 2^46, over 2^46.
        constexpr std::uint64_t kMask = (std::uint64_t{1} << 46) - 1;
        const std::uint64_t multiplier = power(5, 13);
        std::uint64_t state = 314159265 * power(multiplier, 4 * static_cast<std::uint64_t>(keys_) * rank);
        for (std::int64_t i = 0; i < keys_; ++i) {
            std::uint64_t sum = 0;
            for (int number = 0; number < 4; ++number) sum += state = (state * multiplier) & kMask;
            key_[i] = static_cast<int>(sum >> (48 - problem.log2_largest_key));
        }
    }

    /// Finds the rank of each key; returns the test keys here that have the rank they must.
    int operator()(int iteration) {
        // Copies, because the compiler cannot know that no key is written over a member.
        const int shift = shift_;
        const std::int64_t keys = keys_;
        int *const key = key_.get(), *const work = work_.get(), *const mine = mine_.get();
        if (rank_ == 0) {
            key[iteration] = iteration;
            key[iteration + kIterations] = (1 << problem_.log2_largest_key) - iteration;
        }
        std::fill(sizes_.begin(), sizes_.end(), 0);
        int* const sizes = sizes_.data();
        for (std::int64_t i = 0; i < keys; ++i) ++sizes[key[i] >> shift];
        for (int t = 0; t < kTestKeys; ++t)
            if (problem_.tests[t].index / keys == rank_)
                sizes[buckets_ + t] = key[problem_.tests[t].index % keys];
        MPI_Allreduce(sizes, totals_.data(), buckets_ + kTestKeys, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

        std::exclusive_scan(sizes_.begin(), sizes_.begin() + buckets_, next_.begin(), 0);
        int* const next = next_.data();
        for (std::int64_t i = 0; i < keys; ++i) work[next[key[i] >> shift]++] = key[i];

        deal_out();
        MPI_Alltoall(out_.data(), 1, MPI_INT, in_.data(), 1, MPI_INT, MPI_COMM_WORLD);
        std::exclusive_scan(out_.begin(), out_.end(), out_start_.begin(), 0);
        std::exclusive_scan(in_.begin(), in_.end(), in_start_.begin(), 0);
        received_ = std::accumulate(in_.begin(), in_.end(), std::int64_t{0});
        if (received_ > capacity_) MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Alltoallv(work, out_.data(), out_start_.data(), MPI_INT, mine, in_.data(), in_start_.data(),
                      MPI_INT, MPI_COMM_WORLD);

        // The keys have left their buffer: it holds the counts, then the keys up to each value.
        int* const count = work;
        const std::int64_t received = received_;
        const int first_value = first_value_, values = values_;
        std::fill_n(count, values, 0);
        for (std::int64_t i = 0; i < received; ++i) ++count[mine[i] - first_value];
        for (int value = 1; value < values; ++value) count[value] += count[value - 1];

        int passed = 0;
        for (int t = 0; t < kTestKeys; ++t) {
            const int value = totals_[buckets_ + t] - first_value;
            if (value < 0 || value >= values) continue;
            const std::int64_t found = keys_below_ + (value > 0 ? count[value - 1] : 0);
            passed += found == problem_.tests[t].rank + problem_.tests[t].shifts[iteration - 1];
        }
        return passed;
    }

    /// Puts the keys in order by the last ranking; returns whether they are, from the rank before on.
    bool sort() {
        for (std::int64_t i = 0; i < received_; ++i) key_[--work_[mine_[i] - first_value_]] = mine_[i];
        const int last = received_ > 0 ? key_[received_ - 1] : first_value_;
        int before = 0;
        MPI_Sendrecv(&last, 1, MPI_INT, rank_ + 1 < ranks_ ? rank_ + 1 : MPI_PROC_NULL, 0, &before, 1,
                     MPI_INT, rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return std::is_sorted(key_.get(), key_.get() + received_) && (received_ == 0 || before <= key_[0]);
    }

  private:
    /// Gives each rank buckets until the ranks up to it have their share of the keys; the last one takes the
    /// rest.
    void deal_out() {
        std::fill(out_.begin(), out_.end(), 0);
        std::int64_t keys = 0, before_mine = 0;
        int owner = 0, first_bucket = 0, mine = 0;
        for (int bucket = 0; bucket < buckets_; ++bucket) {
            if (owner == rank_ && mine++ == 0) {
                first_bucket = bucket;
                before_mine = keys;
            }
            out_[owner] += sizes_[bucket];
            keys += totals_[bucket];
            if (owner + 1 < ranks_ && keys >= (owner + 1) * keys_) ++owner;
        }
        first_value_ = first_bucket << shift_;
        values_ = mine << shift_;
        keys_below_ = before_mine;
    }

    const Class problem_;
    const int rank_, ranks_, shift_, buckets_;
    const std::int64_t keys_, capacity_;  ///< of a rank; of each array, and pages never touched cost nothing
    using Keys = std::unique_ptr<int[]>;
    Keys key_ = std::make_unique_for_overwrite<int[]>(capacity_);
    Keys work_ = std::make_unique_for_overwrite<int[]>(capacity_);
    Keys mine_ = std::make_unique_for_overwrite<int[]>(capacity_);
    std::vector<int> sizes_ = std::vector<int>(buckets_ + kTestKeys), totals_ = sizes_, next_ = sizes_;
    std::vector<int> out_ = std::vector<int>(ranks_), in_ = out_, out_start_ = out_, in_start_ = out_;
    int first_value_ = 0, values_ = 0;
    std::int64_t keys_below_ = 0, received_ = 0;
};

std::int64_t peak_memory_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (std::int64_t kib = 0; word == "VmHWM:" && status >> kib) return kib * 1024;
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const auto problem = std::find_if(kClasses.begin(), kClasses.end(), [&](const Class& one) {
        return count == 2 && arguments[1] == std::string(1, one.letter) && one.log2_keys < 31;
    });
    if (problem == kClasses.end()) MPI_Abort(MPI_COMM_WORLD, 2);

    Ranking rank_keys(*problem, rank, ranks);
    rank_keys(1);
    int passed = 0;
    const double begin = MPI_Wtime();
    for (int iteration = 1; iteration <= kIterations; ++iteration) passed += rank_keys(iteration);
    const double elapsed = MPI_Wtime() - begin;
    passed += rank_keys.sort();

    const std::int64_t memory = peak_memory_bytes();
    double seconds = 0;
    int all_passed = 0;
    std::int64_t most_memory = 0;
    MPI_Reduce(&elapsed, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&passed, &all_passed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(&memory, &most_memory, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    const bool verified = all_passed == kIterations * kTestKeys + ranks;
    if (rank == 0)
        std::printf("{\"seconds\": %.6f, \"peak_memory_bytes\": %lld, \"verified\": %s}\n", seconds,
                    static_cast<long long>(most_memory), verified ? "true" : "false");
    MPI_Finalize();
    return verified ? 0 : 1;
}
