// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// One rank's events with their times from the trace's origin, as other tools want them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "tracefile/trace.hpp"

namespace linkworth::convert {

struct TimedEvent {
    tracefile::Event event;
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
};

class TimedCursor {
  public:
    explicit TimedCursor(tracefile::RankCursor cursor) : cursor_(std::move(cursor)) {}

    /// False at the end of the rank's events. No call starts before the one before it has ended.
    bool next(TimedEvent& timed) {
        if (!cursor_.next(timed.event)) return false;
        if (const double base = cursor_.block_base_seconds(); base != block_base_seconds_) {
            block_base_seconds_ = base;
            seconds_ = base;
        }
        const double start = seconds_ + timed.event.gap_seconds;
        seconds_ = start + timed.event.duration_seconds;
        timed.start_ns = std::max(nanoseconds(start), end_ns_);
        timed.end_ns = std::max(nanoseconds(seconds_), timed.start_ns);
        end_ns_ = timed.end_ns;
        return true;
    }

  private:
    static std::uint64_t nanoseconds(double seconds) {
        return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
    }

    tracefile::RankCursor cursor_;
    double block_base_seconds_ = 0;
    double seconds_ = 0;  ///< end of the latest call
    std::uint64_t end_ns_ = 0;
};

}  // namespace linkworth::convert
