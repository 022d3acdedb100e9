// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../common/communicator.hpp"
#include "../common/phase_timers.hpp"
#include "../common/timed_region.hpp"
#include "reference.hpp"

/// IS: ranks of integer keys, by buckets of neighbouring keys that are dealt out to the ranks (NAS-95-020,
/// 3.5 with the refinements of NPB 2 and later: buckets, a partial test in each ranking, a full sort
/// afterwards).
namespace linkworth::npb::is {

/// Returns an empty text if the class runs on this many ranks, else one sentence with the counts that work.
inline std::string rank_problem(const Class& problem, int ranks) {
    if (std::has_single_bit(static_cast<unsigned>(ranks)) && ranks >= problem.fewest_ranks &&
        ranks <= problem.most_ranks)
        return {};
    return "is class " + std::string(1, problem.letter) + " runs on powers of two from " +
           std::to_string(problem.fewest_ranks) + " to " + std::to_string(problem.most_ranks) +
           " ranks, not on " + std::to_string(ranks);
}

/// Arithmetic of IS: one rank's keys. Keys, and counts of keys in one message or one bucket, fit in 32 bits
/// in every class; ranks of keys do not.
template <class K>
concept Kernel = requires(K kernel, int iteration) {
    /// Changes keys on the first rank before a ranking: key `iteration` becomes `iteration`, and the key 10
    /// places on becomes the largest key less `iteration`.
    kernel.change_keys(iteration);
    kernel.count_buckets();
    /// Keys of this rank in each bucket, then its test keys (0 for the others').
    { kernel.bucket_sizes() } -> std::same_as<std::span<const int>>;
    /// The same of all ranks, filled by the reduction.
    { kernel.bucket_totals() } -> std::same_as<int*>;
    /// Deals the buckets out to the ranks and puts the keys in the ranks' order.
    kernel.scatter_keys();
    /// Keys for each rank, and from each one.
    { kernel.outgoing_counts() } -> std::same_as<std::span<const int>>;
    { kernel.incoming_counts() } -> std::same_as<std::span<int>>;
    { kernel.outgoing() } -> std::same_as<const int*>;
    { kernel.incoming() } -> std::same_as<int*>;
    /// Finds the rank of each key received. Returns how many test keys among them have the rank that this
    /// iteration requires.
    { kernel.rank_keys(iteration) } -> std::same_as<int>;
    /// Afterwards: puts the keys in the places that their ranks give.
    kernel.sort();
    { kernel.largest() } -> std::same_as<const int*>;
    { kernel.largest_before() } -> std::same_as<int*>;  ///< of the rank before, filled by the exchange
    /// For use after that exchange. Of the whole sequence, this covers the part that this rank has.
    { kernel.is_sorted() } -> std::same_as<bool>;
};

using Timers = PhaseTimers<5>;
inline constexpr Timers::Names kPhases{"bucket counts", "sum of counts", "key scatter", "key exchange",
                                       "key ranks"};

struct Result {
    double seconds = 0.0;  ///< of the timed region, the slowest rank's; on rank 0
    int passed = 0;        ///< tests of keys in all iterations, and ranks whose keys are in order; on rank 0
    std::vector<double> iteration_seconds;
};

/// Communication and phases of one run.
template <Communicator Comm, Kernel K>
class Run {
  public:
    Run(Comm& world, K& kernel, Timers& timers) : world_(world), kernel_(kernel), timers_(timers) {}

    Result operator()() {
        find_ranks(1);
        timers_.reset();

        Result result;
        int passed = 0;
        const double elapsed = timed_region(world_, [&] {
            repeat(world_, kIterations, result.iteration_seconds,
                   [&](int iteration) { passed += find_ranks(iteration); });
        });

        world_.reduce(Reduction::max, &elapsed, &result.seconds, 1, 0);
        passed += sort() ? 1 : 0;
        world_.reduce(Reduction::sum, &passed, &result.passed, 1, 0);
        return result;
    }

  private:
    static constexpr int kTag = 1;

    /// Does one ranking. Returns the number of test keys of this rank that passed.
    int find_ranks(int iteration) {
        timers_.measure(0, [&] {
            if (world_.rank() == 0) kernel_.change_keys(iteration);
            kernel_.count_buckets();
        });
        timers_.measure(1, [&] {
            const std::span<const int> sizes = kernel_.bucket_sizes();
            world_.allreduce(Reduction::sum, sizes.data(), kernel_.bucket_totals(), sizes.size());
        });
        timers_.measure(2, [&] { kernel_.scatter_keys(); });
        timers_.measure(3, [&] {
            const std::span<const int> outgoing = kernel_.outgoing_counts();
            const std::span<int> incoming = kernel_.incoming_counts();
            world_.alltoall(outgoing.data(), incoming.data(), 1);
            world_.alltoallv(kernel_.outgoing(), outgoing, kernel_.incoming(), incoming);
        });
        int passed = 0;
        timers_.measure(4, [&] { passed = kernel_.rank_keys(iteration); });
        return passed;
    }

    /// Sorts by the last ranking and hands the largest key to the next rank; true if all is in order.
    bool sort() {
        kernel_.sort();
        const bool has_before = world_.rank() > 0;
        typename Comm::Request request;
        if (has_before) request = world_.irecv(kernel_.largest_before(), 1, world_.rank() - 1, kTag);
        if (world_.rank() + 1 < world_.size()) world_.send(kernel_.largest(), 1, world_.rank() + 1, kTag);
        if (has_before) world_.wait(request);
        return kernel_.is_sorted();
    }

    Comm& world_;
    K& kernel_;
    Timers& timers_;
};

/// `make_kernel(use)` makes the keys and returns use(kernel). `timers_on`: rank 0's word counts.
template <Communicator Comm, class MakeKernel>
Result run(Comm& world, int timers_on, Timers& timers, MakeKernel&& make_kernel) {
    Comm own = world.duplicate();
    own.broadcast(&timers_on, 1, 0);
    return make_kernel([&](auto& kernel) { return Run(own, kernel, timers)(); });
}

}  // namespace linkworth::npb::is
