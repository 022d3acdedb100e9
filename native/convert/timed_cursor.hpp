// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// One rank's events with their times from the trace's origin, as other tools need them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace linkworth::convert {

struct TimedEvent {
    tracefile::Event event;
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
};

/// Events come in the order of their ends.
class TimedCursor {
  public:
    explicit TimedCursor(tracefile::RankCursor cursor) : cursor_(std::move(cursor)) {}

    /// False at the end of the rank's events. No call of a thread starts before the one before it has ended.
    bool next(TimedEvent& timed) {
        const tracefile::Event& event = timed.event;
        if (!cursor_.next(timed.event)) return false;
        if (const double base = cursor_.block_base_seconds(); base != block_base_seconds_) {
            block_base_seconds_ = base;
            seconds_ = base;
        }
        const double turn = seconds_ + event.gap_seconds;
        seconds_ = turn + event.duration_seconds;
        const std::uint64_t turn_ns = std::max(nanoseconds(turn), end_ns_);
        timed.end_ns = std::max(nanoseconds(seconds_), turn_ns);
        end_ns_ = timed.end_ns;
        if (event.thread >= end_ns_of_thread_.size()) end_ns_of_thread_.resize(event.thread + std::size_t{1});
        std::uint64_t& thread_end_ns = end_ns_of_thread_[event.thread];
        timed.start_ns = event.overlap_seconds > 0
                             ? std::max(nanoseconds(turn - event.overlap_seconds), thread_end_ns)
                             : turn_ns;
        thread_end_ns = timed.end_ns;
        return true;
    }

    /// Start of the block that contains the latest event.
    std::uint64_t block_base_ns() const { return nanoseconds(block_base_seconds_); }

  private:
    static std::uint64_t nanoseconds(double seconds) {
        return static_cast<std::uint64_t>(std::llround(std::max(seconds, 0.0) * 1e9));
    }

    tracefile::RankCursor cursor_;
    double block_base_seconds_ = 0;
    double seconds_ = 0;  ///< end of the latest call
    std::uint64_t end_ns_ = 0;
    std::vector<std::uint64_t> end_ns_of_thread_;
};

}  // namespace linkworth::convert
