// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Times of one thread's calls in the common stream of a rank's threads (docs/reference/trace-format.md).
#pragma once

#include <algorithm>

namespace linkworth::tracefile {

/// Start and end of a call in seconds from the start of the rank's stream.
struct CallTimes {
    double start = 0;
    double end = 0;
};

/// Adds up the common stream.
class StreamClock {
  public:
    CallTimes next(double gap_seconds, double duration_seconds, double overlap_seconds) {
        const double start = seconds_ + gap_seconds - overlap_seconds;
        seconds_ += gap_seconds + duration_seconds;
        return {start, seconds_};
    }

  private:
    double seconds_ = 0;
};

/// Time between two calls of one thread, and its CPU time (negative if it was not read).
struct ThreadGap {
    double seconds = 0;
    double cpu_seconds = -1;

    double computed_seconds() const { return cpu_seconds < 0 ? seconds : std::min(cpu_seconds, seconds); }
};

/// Returns the thread's gap before a call that starts at `start`, from the data in the stream. The stream has
/// the CPU time of its part of the gap, or of the whole gap if it has no part.
inline ThreadGap thread_gap(double start, double previous_end, double gap_seconds, double cpu_seconds) {
    const double whole = std::max(0.0, start - previous_end);
    const bool is_part = cpu_seconds >= 0 && gap_seconds > 0 && gap_seconds < whole;
    return {whole, is_part ? cpu_seconds * (whole / gap_seconds) : cpu_seconds};
}

}  // namespace linkworth::tracefile
