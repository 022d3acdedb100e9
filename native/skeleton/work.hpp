// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "programs/common/phase_timers.hpp"

/// Programs recorded without running: their communication as it is, their computation counted.
namespace linkworth::skeleton {

/// Computation of one rank, counted by phase and turned into seconds. Each program chooses its own operations
/// (most count floating point operations). Only the ratio between classes or rank counts within one phase has
/// a meaning, because the seconds of an operation are calibrated phase by phase.
class Work final : public npb::PhaseObserver {
  public:
    /// Bytes that move at once between a cache and memory.
    static constexpr double kLineBytes = 64.0;

    /// `seconds_per_operation` of each of the program's phases. Work outside any phase costs nothing.
    /// `cache_bytes` is the rank's share of its node's last-level caches.
    explicit Work(std::vector<double> seconds_per_operation, double cache_bytes = 0.0)
        : seconds_per_operation_(std::move(seconds_per_operation)),
          counts_(seconds_per_operation_.size() + 1, 0.0),
          cache_bytes_(cache_bytes) {}

    /// Adds work to the phase that the program is in.
    void count(double operations) {
        if (phase_ == kNoPhase) return;
        counts_[phase_] += operations;
        pending_seconds_ += operations * seconds_per_operation_[phase_];
    }
    /// Adds bytes that a pass over `data_bytes` of data moves from and to memory, if the cache is too small
    /// to keep them from pass to pass.
    void move(double bytes, double data_bytes) {
        if (phase_ != kNoPhase && data_bytes > cache_bytes_) counts_.back() += bytes;
    }
    double cache_bytes() const { return cache_bytes_; }
    /// Adds time that no processor shortens, such as a file server's.
    void wait(double seconds) { pending_seconds_ += seconds; }
    void enter(std::size_t phase) override { phase_ = phase; }
    void leave() override { phase_ = kNoPhase; }

    /// Seconds counted since the last call of this.
    double take_seconds() { return std::exchange(pending_seconds_, 0.0); }
    /// Operations of each phase so far, and in the last place the bytes moved from and to memory.
    const std::vector<double>& counts() const { return counts_; }

  private:
    static constexpr std::size_t kNoPhase = static_cast<std::size_t>(-1);

    std::vector<double> seconds_per_operation_;
    std::vector<double> counts_;
    double cache_bytes_;
    double pending_seconds_ = 0.0;
    std::size_t phase_ = kNoPhase;
};

}  // namespace linkworth::skeleton
