// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "../common/communicator.hpp"
#include "../common/phase_timers.hpp"
#include "../common/timed_region.hpp"

/// Imbalance: one sum, its points spread over the ranks by a rule that goes from even to all on one rank,
/// with almost no communication. However fast the network is, the run takes as long as the rank with the most
/// points.
namespace linkworth::npb::imbalance {

inline constexpr int kLevels = 8;
inline constexpr std::int64_t kDefaultPoints = 4'000'000'000;

struct Problem {
    int level;            ///< 1 (even) to kLevels (all on rank 0)
    std::int64_t points;  ///< of all ranks together, the same at each level
};

/// Points [first, first + count).
struct Share {
    std::int64_t first, count;
};

/// Returns mean over maximum of the ranks' points (the load balance of the POP metrics). It falls in equal
/// steps from 1 at the first level to 1 / ranks at the last.
inline double load_balance(int level, int ranks) {
    return 1.0 - (level - 1.0) / (kLevels - 1.0) * (1.0 - 1.0 / ranks);
}

/// Shares of the ranks: rank r has a part of the points in proportion to x^r. The x from 0 to 1 gives the
/// level's load balance, so that every rank has less than the one before it.
class Spread {
  public:
    Spread(const Problem& problem, int ranks) : points_(problem.points), ranks_(ranks) {
        // With x = 1 - decay, the ranks' work is 1 + x + ... times rank 0's. That sum must be ranks x load
        // balance, and it falls as the decay grows.
        const double wanted = load_balance(problem.level, ranks) * ranks;
        double low = 0.0, high = 1.0;
        for (int halving = 0; halving < 60; ++halving) {
            decay_ = 0.5 * (low + high);
            (geometric_sum(ranks) > wanted ? low : high) = decay_;
        }
        if (problem.level == 1) decay_ = 0.0;
        if (problem.level == kLevels) decay_ = 1.0;
    }

    Share of(int rank) const {
        const std::int64_t first = before(rank);
        return {first, before(rank + 1) - first};
    }
    /// Points of the rank that has most of them: rank 0.
    std::int64_t most() const { return of(0).count; }

  private:
    /// Returns 1 + x + ... + x^(count - 1). Uses logarithms, because x^count is near 1 if the decay is small.
    double geometric_sum(int count) const {
        if (decay_ == 0.0) return count;
        return -std::expm1(count * std::log1p(-decay_)) / decay_;
    }
    /// Points of the ranks before `rank`, to the nearest whole one.
    std::int64_t before(int rank) const {
        if (rank == 0) return 0;
        if (decay_ == 1.0 || rank == ranks_) return points_;
        return std::llround(static_cast<double>(points_) * (geometric_sum(rank) / geometric_sum(ranks_)));
    }

    std::int64_t points_;
    int ranks_;
    double decay_ = 0.0;
};

/// Arithmetic: the midpoint rule for the integral of 4 / (1 + x^2) from 0 to 1, which is pi.
template <class K>
concept Kernel = requires(K kernel, Share share, std::int64_t points) {
    /// The share's part of the integral, with `points` points in all.
    { kernel.integrate(share, points) } -> std::same_as<double>;
};

using Timers = PhaseTimers<2>;
inline constexpr Timers::Names kPhases{"sum", "barrier and reduction"};

struct Result {
    double integral = 0.0;  ///< on rank 0
    double seconds = 0.0;   ///< of the timed region, the slowest rank's; on rank 0
};

template <Communicator Comm, Kernel K>
Result run(Comm& world, K& kernel, const Problem& problem, Timers& timers) {
    const Share share = Spread(problem, world.size()).of(world.rank());
    world.barrier();

    Result result;
    const double elapsed = timed_region(world, [&] {
        double mine = 0.0;
        timers.measure(0, [&] { mine = kernel.integrate(share, problem.points); });
        timers.measure(1, [&] {
            world.barrier();
            world.reduce(Reduction::sum, &mine, &result.integral, 1, 0);
        });
    });

    world.reduce(Reduction::max, &elapsed, &result.seconds, 1, 0);
    return result;
}

}  // namespace linkworth::npb::imbalance
