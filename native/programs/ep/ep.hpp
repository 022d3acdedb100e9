// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "../common/communicator.hpp"
#include "../common/phase_timers.hpp"
#include "../common/timed_region.hpp"
#include "reference.hpp"

/// EP, "embarrassingly parallel": Gaussian deviates by the polar method, tallied in square annuli
/// (NAS-95-020, 3.1).
namespace linkworth::npb::ep {

inline constexpr int kLog2BatchPairs = 16;
inline constexpr int kAnnuli = 10;

struct Tally {
    double sum_x = 0.0;
    double sum_y = 0.0;
    std::array<double, kAnnuli> annuli{};  ///< pairs with floor(max(|X|, |Y|)) = index
};

/// Part of the whole: batches [first, first + count) of 2^16 pairs.
struct Share {
    std::int64_t first;
    std::int64_t count;
};

/// Returns the batches of a rank. If the count does not divide, the first ranks take one more.
inline Share share_of(int log2_pairs, int rank, int ranks) {
    const std::int64_t batches = std::int64_t{1} << (log2_pairs - kLog2BatchPairs);
    const std::int64_t each = batches / ranks;
    const std::int64_t rest = batches % ranks;
    return {rank * each + std::min<std::int64_t>(rank, rest), each + (rank < rest ? 1 : 0)};
}

/// Arithmetic of EP: tallies a share of the batches.
template <class K>
concept Kernel = requires(K kernel, Share share) {
    { kernel.tally(share) } -> std::same_as<Tally>;
};

using Timers = PhaseTimers<2>;
inline constexpr Timers::Names kPhases{"gaussian pairs", "reductions"};

struct Result {
    Tally tally;
    double seconds = 0.0;  ///< of the timed region, the slowest rank's
};

/// `timers_on`: rank 0's word counts. Timed: the generation and the sums over all ranks.
template <Communicator Comm, Kernel K>
Result run(Comm& comm, K& kernel, const Class& problem, int timers_on, Timers& timers) {
    comm.broadcast(&timers_on, 1, 0);
    const Share share = share_of(problem.log2_pairs, comm.rank(), comm.size());
    comm.barrier();

    Result result;
    const double elapsed = timed_region(comm, [&] {
        Tally mine;
        timers.measure(0, [&] { mine = kernel.tally(share); });
        timers.measure(1, [&] {
            comm.allreduce(Reduction::sum, &mine.sum_x, &result.tally.sum_x, 1);
            comm.allreduce(Reduction::sum, &mine.sum_y, &result.tally.sum_y, 1);
            comm.allreduce(Reduction::sum, mine.annuli.data(), result.tally.annuli.data(),
                           mine.annuli.size());
        });
    });

    comm.allreduce(Reduction::max, &elapsed, &result.seconds, 1);
    return result;
}

}  // namespace linkworth::npb::ep
