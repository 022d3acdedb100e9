// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Busy seconds in equal stretches of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace linkworth::replay {

/// Busy seconds of a link or a rank in equal stretches of time. The stretches double whenever the time
/// outgrows them, so that memory does not depend on the length of the run.
class LoadHistory {
  public:
    void add(double from, double to) {
        busy_seconds_ += to - from;
        while (to > width_ * static_cast<double>(bins)) widen();
        auto bin = static_cast<std::size_t>(from / width_);
        // The first stretch may already have ended, as the quotient is rounded.
        for (; from < to; ++bin) {
            const double end = std::clamp(static_cast<double>(bin + 1) * width_, from, to);
            if (bin < bins) busy_[bin] += end - from;
            from = end;
        }
    }

    void add(LoadHistory other) {
        other.widen_to(width_);
        widen_to(other.width_);
        busy_seconds_ += other.busy_seconds_;
        for (std::size_t i = 0; i < bins; ++i) busy_[i] += other.busy_[i];
    }

    double busy_seconds() const { return busy_seconds_; }
    /// Length of a stretch in seconds.
    double width_seconds() const { return width_; }
    /// Busy seconds of each.
    const std::vector<double>& busy() const { return busy_; }
    /// Doubles the stretches until they are at least this long.
    void widen_to(double seconds) {
        while (width_ < seconds) widen();
    }

  private:
    static constexpr std::size_t bins = 512;

    void widen() {
        for (std::size_t i = 0; i < bins / 2; ++i) busy_[i] = busy_[2 * i] + busy_[2 * i + 1];
        std::fill(busy_.begin() + bins / 2, busy_.end(), 0.0);
        width_ *= 2;
    }

    double busy_seconds_ = 0;
    double width_ = 1e-6;
    std::vector<double> busy_ = std::vector<double>(bins);
};

}  // namespace linkworth::replay
