// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Duration of the recorded computation on the predicted machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

namespace linkworth::replay {

/// A node whose ranks slow each other while they compute at once.
struct NodeCosts {
    double memory_bytes_per_second = std::numeric_limits<double>::infinity();
    double cores = std::numeric_limits<double>::infinity();
    /// Throughput of a core that runs two or more ranks, relative to one rank alone there.
    double thread_gain = 1;
};

struct ComputationCosts {
    double factor = 1;                         ///< recorded computation is divided by this
    std::map<std::int32_t, double> factor_at;  ///< likewise between MPI_Pcontrol(level) and the next one
    double memory_demand = 0;  ///< bytes a second from the node's memory that a rank needs while it computes
    std::optional<NodeCosts> node;  ///< none: ranks compute as if each were alone
    double noise = 0;               ///< standard deviation of the logarithm of each interval's length
    std::uint64_t seed = 0;         ///< of the noise
};

class Computation {
  public:
    explicit Computation(const ComputationCosts& costs)
        : costs_(costs), uniform_(costs.factor_at.empty() && !(costs.noise > 0)) {}

    /// Seconds of the `interval`-th stretch of a rank that took `recorded` seconds, at a level of
    /// MPI_Pcontrol.
    double seconds(std::uint32_t rank, std::int32_t level, std::uint64_t interval, double recorded) const {
        if (uniform_) [[likely]]
            return recorded / costs_.factor;
        double result = recorded / factor_at(level);
        if (costs_.noise > 0) result *= noise(rank, interval);
        return result;
    }

  private:
    double factor_at(std::int32_t level) const {
        if (costs_.factor_at.empty()) return costs_.factor;
        const auto found = costs_.factor_at.find(level);
        return found == costs_.factor_at.end() ? costs_.factor : found->second;
    }

    /// Returns a lognormal factor of mean 1. It depends only on the seed, rank and interval, not on the order
    /// of calls.
    double noise(std::uint32_t rank, std::uint64_t interval) const {
        const std::uint64_t start = scramble(scramble(costs_.seed + rank) + interval);
        const double radius = std::sqrt(-2 * std::log(unit(start)));
        const double normal = radius * std::cos(2 * std::numbers::pi * unit(scramble(start)));
        return std::exp(costs_.noise * (normal - costs_.noise / 2));
    }

    /// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
    static std::uint64_t scramble(std::uint64_t state) {
        state += 0x9e3779b97f4a7c15U;
        state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
        state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
        return state ^ (state >> 31U);
    }
    /// Returns a number in (0, 1].
    static double unit(std::uint64_t bits) { return static_cast<double>((bits >> 11U) + 1) * 0x1p-53; }

    const ComputationCosts& costs_;
    bool uniform_;  ///< one factor for all
};

}  // namespace linkworth::replay
