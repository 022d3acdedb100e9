// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Time that a TCP connection loses when it begins, or begins anew after silence, with a small window.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "replay/fabric.hpp"

namespace linkworth::replay {

/// Slow start (RFC 5681, 3.1): a window of data per round trip, doubled each time, until the window is as
/// large as what the link carries in a round trip, or the message has been sent. A connection that sent
/// within `restart_after_seconds` still has its window (RFC 5681, 4.1). This also applies to its first
/// message, because programs warm their connections up.
class Restarts {
  public:
    explicit Restarts(const Fabric& fabric)
        : tcp_(fabric.tcp),
          round_trip_seconds_(2 * fabric.link.latency_seconds + 2 * fabric.link.wire_seconds(0)),
          bandwidth_(fabric.link.bandwidth_bytes_per_second),
          matters_(std::isfinite(tcp_.restart_after_seconds) &&
                   round_trip_seconds_ * bandwidth_ > tcp_.initial_window_bytes) {}

    /// False: no connection ever loses anything.
    bool matter() const { return matters_; }

    /// Seconds for which the link idles under a message that is sent at `now`.
    double stall_seconds(std::uint64_t connection, std::uint64_t bytes, double now) {
        if (!matters_) return 0;
        const auto [place, is_new] = last_sent_.try_emplace(connection, now);
        const double silence = now - place->second;
        place->second = now;
        if (is_new || silence <= tcp_.restart_after_seconds) return 0;
        return slow_start_seconds(static_cast<double>(bytes));
    }

  private:
    double slow_start_seconds(double bytes) const {
        const double pipe = round_trip_seconds_ * bandwidth_;
        double stall = 0;
        double sent = 0;
        for (double window = tcp_.initial_window_bytes; window < pipe && sent + window < bytes; window *= 2) {
            stall += round_trip_seconds_ - window / bandwidth_;
            sent += window;
        }
        return stall;
    }

    const Tcp& tcp_;
    double round_trip_seconds_;
    double bandwidth_;
    bool matters_;
    std::unordered_map<std::uint64_t, double> last_sent_;  ///< seconds, by connection
};

}  // namespace linkworth::replay
