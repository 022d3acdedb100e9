// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Cost of a full switch port for TCP. Packets that find more than its buffer queued are lost.
#pragma once

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "replay/fabric.hpp"

namespace linkworth::replay {

/// Most losses are repaired while other packets keep the link busy. They take no more than the queue and a
/// round trip (RFC 8985, 6.2). Now and then a connection loses so much of its window that only its timer
/// detects the loss. The more segments it has under way, the rarer this is. With Reno that is min(1, 3/w) of
/// the losses of a window of w segments (Padhye and others, "Modeling TCP throughput", SIGCOMM 1998, 2.2).
/// With selective acknowledgements and loss probes it falls with the third power of 3/w, as measured
/// (docs/reference/replay.md). Every loss gets the average time.
class FullPorts {
  public:
    FullPorts(const Tcp& tcp, const Path& link)
        : tcp_(tcp),
          round_trip_seconds_(2 * link.latency_seconds),
          segment_bytes_(link.mtu_bytes > link.header_in_mtu_bytes
                             ? static_cast<double>(link.mtu_bytes - link.header_in_mtu_bytes)
                             : usual_segment_bytes) {}

    bool matter() const { return std::isfinite(tcp_.port_buffer_bytes); }
    bool overflows(double queued_bytes) const { return queued_bytes > tcp_.port_buffer_bytes; }

    /// Returns the extra wait of `bytes` of a connection that reach a full port at `arrival_seconds`. The
    /// queue at that time, including these bytes, has drained at `drained_seconds`.
    double wait_seconds(std::uint32_t port, std::uint64_t connection, double bytes, double arrival_seconds,
                        double drained_seconds);

  private:
    /// Segment size of an Ethernet packet of 1500 bytes with timestamps (RFC 7323).
    static constexpr double usual_segment_bytes = 1448;

    /// Duplicate acknowledgements that indicate a loss (RFC 5681, 3.2).
    static constexpr double few_segments = 3;

    /// Losses at a port while its queue was never empty.
    struct Burst {
        std::unordered_set<std::uint64_t> connections;
        double bytes = 0;
        double drained_seconds = 0;
    };

    const Tcp& tcp_;
    double round_trip_seconds_;
    double segment_bytes_;
    std::unordered_map<std::uint32_t, Burst> bursts_;  ///< by port, of those that were full
};

}  // namespace linkworth::replay
