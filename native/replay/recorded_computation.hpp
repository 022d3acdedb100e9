// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Share of a rank's recorded time between MPI calls that is computation of the program.
#pragma once

#include <algorithm>

#include "calls/event.hpp"

namespace linkworth::replay {

/// Follows one rank's calls in their order.
class RecordedComputation {
  public:
    /// Returns the CPU time of the gap before the event if it was read, else wall time.
    static double recorded(const tracefile::Event& event) {
        return event.cpu_seconds >= 0 ? std::min(event.cpu_seconds, event.gap_seconds) : event.gap_seconds;
    }

    /// Returns how much of `seconds` counts as computation. `seconds` is the recorded time before the event,
    /// scaled at will. Time before MPI_Init is the start of the process, and time between polls that find
    /// nothing is waiting: neither counts.
    double counted(const tracefile::Event& event, double seconds) {
        const tracefile::CallClass kind = event.shape->call_class;
        if (!started_) {
            before_start_ = kind == tracefile::CallClass::init ? 0 : before_start_ + seconds;
            seconds = 0;
            if (kind != tracefile::CallClass::local) {
                started_ = true;
                seconds = before_start_;
            }
        }
        const bool waits =
            polling_ && tracefile::is_poll(*event.shape) && recorded(event) < tracefile::polling_gap_seconds;
        polling_ = tracefile::found_nothing(*event.shape);
        return waits ? 0 : seconds;
    }

    /// Handles an event with no recorded time before it, as `counted` does. Returns false without effect if
    /// `counted` may still count earlier time.
    bool passed(const tracefile::Event& event) {
        if (!started_) return false;
        polling_ = tracefile::found_nothing(*event.shape);
        return true;
    }

    bool started() const { return started_; }

  private:
    bool started_ = false;  ///< MPI_Init is behind
    bool polling_ = false;  ///< the last call was a poll that found nothing
    double before_start_ = 0;
};

}  // namespace linkworth::replay
