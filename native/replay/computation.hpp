// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Duration of the recorded computation on the predicted machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "replay/draws.hpp"
#include "replay/settings.hpp"

namespace linkworth::replay {

class Computation {
  public:
    explicit Computation(const ReplayRequest& request)
        : factor_(request.cpu_factor),
          settings_(request.settings),
          seed_(scramble(settings_.seed)),
          uniform_(settings_.cpu_factor_at.empty() && !(settings_.noise > 0)) {}

    /// Seconds of the `interval`-th stretch of a rank that took `recorded` seconds, at a level of
    /// MPI_Pcontrol.
    double seconds(std::uint32_t rank, std::int32_t level, std::uint64_t interval, double recorded) const {
        if (uniform_) [[likely]]
            return recorded / factor_;
        double result = recorded / factor_at(level);
        if (settings_.noise > 0) result *= noise(rank, interval);
        return result;
    }

  private:
    double factor_at(std::int32_t level) const {
        const auto found = settings_.cpu_factor_at.find(level);
        return found == settings_.cpu_factor_at.end() ? factor_ : found->second;
    }

    /// Returns a lognormal factor of mean 1. It depends only on the seed, rank and interval, not on the order
    /// of calls.
    double noise(std::uint32_t rank, std::uint64_t interval) const {
        const std::uint64_t start = scramble(scramble(seed_ + rank) + interval);
        const double radius = std::sqrt(-2 * std::log(unit(start)));
        const double normal = radius * std::cos(2 * std::numbers::pi * unit(scramble(start)));
        return std::exp(settings_.noise * (normal - settings_.noise / 2));
    }

    double factor_;
    const ReplaySettings& settings_;
    std::uint64_t seed_;  ///< scrambled, or a rank would repeat its neighbour's noise under the next seed
    bool uniform_;        ///< one factor for all
};

}  // namespace linkworth::replay
