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
    /// `seconds_per_operation` of each of the program's phases. Work outside any phase costs nothing.
    explicit Work(std::vector<double> seconds_per_operation)
        : seconds_per_operation_(std::move(seconds_per_operation)),
          operations_(seconds_per_operation_.size(), 0.0) {}

    /// Adds work to the phase that the program is in.
    void count(double operations) {
        if (phase_ >= operations_.size()) return;
        operations_[phase_] += operations;
        pending_seconds_ += operations * seconds_per_operation_[phase_];
    }
    /// Adds time that no processor shortens, such as a file server's.
    void wait(double seconds) { pending_seconds_ += seconds; }
    void enter(std::size_t phase) override { phase_ = phase; }
    void leave() override { phase_ = kNoPhase; }

    /// Seconds counted since the last call of this.
    double take_seconds() { return std::exchange(pending_seconds_, 0.0); }
    /// So far, of each phase.
    const std::vector<double>& operations() const { return operations_; }

  private:
    static constexpr std::size_t kNoPhase = static_cast<std::size_t>(-1);

    std::vector<double> seconds_per_operation_;
    std::vector<double> operations_;
    double pending_seconds_ = 0.0;
    std::size_t phase_ = kNoPhase;
};

}  // namespace linkworth::skeleton
