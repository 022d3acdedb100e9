// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace linkworth::npb {

/// Observer of a rank's phases: if a program is recorded without running, it counts work instead of timing
/// it.
class PhaseObserver {
  public:
    virtual void enter(std::size_t phase) = 0;
    virtual void leave() = 0;

  protected:
    ~PhaseObserver() = default;
};

/// Seconds that this rank spent in each of a program's phases. Off, it costs one branch a phase.
template <std::size_t N>
class PhaseTimers {
  public:
    using Names = std::array<std::string_view, N>;

    PhaseTimers(const Names& names, bool enabled) : names_(names), enabled_(enabled) {}
    PhaseTimers(const Names& names, PhaseObserver& observer)
        : names_(names), enabled_(true), observer_(&observer) {}

    /// Runs `work` and adds its time to phase `index`.
    template <class Work>
    void measure(std::size_t index, Work&& work) {
        if (!enabled_) return work();
        if (observer_) {
            observer_->enter(index);
            work();
            return observer_->leave();
        }
        const auto start = std::chrono::steady_clock::now();
        work();
        seconds_[index] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    void reset() { seconds_.fill(0.0); }
    bool enabled() const { return enabled_; }
    const Names& names() const { return names_; }
    const std::array<double, N>& seconds() const { return seconds_; }

  private:
    Names names_;
    std::array<double, N> seconds_{};
    bool enabled_;
    PhaseObserver* observer_ = nullptr;
};

}  // namespace linkworth::npb
