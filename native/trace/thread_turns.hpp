// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "calls/event.hpp"
#include "trace/thread_times.hpp"
#include "trace/trace.hpp"

namespace linkworth::tracefile {

/// Decides whether the threads of a rank take turns, so that one sequence of all calls shows what they do.
///
/// None calls while another is inside a call, and little is computed beside calls of others, which the gaps
/// of the common stream leave out.
class ThreadTurns {
  public:
    void take(const Event& event) {
        if (event.shape->call_class == CallClass::init) serialized_ = event.shape->code == thread_serialized;
        several_ = several_ || event.thread != 0;
        changes_ += event.thread != latest_thread_;
        latest_thread_ = event.thread;
        overlap_ += event.overlap_seconds;
        inside_ += event.duration_seconds;
        const auto times = clock_.next(event.gap_seconds, event.duration_seconds, event.overlap_seconds);
        const double shown =
            event.cpu_seconds < 0 ? event.gap_seconds : std::min(event.cpu_seconds, event.gap_seconds);
        const auto [end, begins] = ends_.try_emplace(event.thread, times.end);
        // Time before MPI_Init is none of the program's, and a thread may begin long after it.
        if (!begins) {
            const auto gap = thread_gap(times.start, end->second, event.gap_seconds, event.cpu_seconds);
            shown_ += shown;
            beside_ += std::max(0.0, gap.computed_seconds() - shown);
            end->second = times.end;
        }
    }

    /// Calls by another thread than the one before.
    std::uint64_t changes() const { return changes_; }
    bool overlaps() const { return overlap_ > most_overlap * inside_; }

    bool at_once() const {
        // Archives of other tools lack the level, and so may programs that begin MPI by sessions. Some
        // programs do not keep to it.
        return several_ && (overlaps() || (!serialized_ && beside_ > most_beside * (shown_ + beside_)));
    }

  private:
    static constexpr double most_beside = 0.2;
    /// Share of the time in calls. The CPU clock is read ahead of a gap, so that some calls seem to begin
    /// early.
    static constexpr double most_overlap = 1e-4;

    StreamClock clock_;
    std::unordered_map<std::uint32_t, double> ends_;  ///< of each thread's latest call
    double shown_ = 0, beside_ = 0;                   ///< seconds of computation
    double overlap_ = 0, inside_ = 0;                 ///< seconds in calls: of two threads at once; all
    std::uint64_t changes_ = 0;
    std::uint32_t latest_thread_ = 0;
    bool serialized_ = false, several_ = false;
};

}  // namespace linkworth::tracefile
