// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/full_ports.hpp"

#include <algorithm>

namespace linkworth::replay {

double FullPorts::wait_seconds(std::uint32_t port, std::uint64_t connection, double bytes,
                               double arrival_seconds, double drained_seconds) {
    Burst& burst = bursts_[port];
    if (arrival_seconds > burst.drained_seconds) {
        burst.connections.clear();
        burst.bytes = 0;
    }
    burst.connections.insert(connection);
    burst.bytes += bytes;
    burst.drained_seconds = drained_seconds;
    if (tcp_.timeout_share <= 0) return round_trip_seconds_;
    // Each time that the buffer is filled again, each connection may lose too much.
    const auto connections = static_cast<double>(burst.connections.size());
    const double refills = burst.bytes / tcp_.port_buffer_bytes;
    const double segments_of_each = tcp_.port_buffer_bytes / (connections * segment_bytes_);
    const double few = std::min(1.0, few_segments / segments_of_each);
    const double timeouts = tcp_.timeout_share * connections * refills * few * few * few;
    // Timeouts run side by side: several take the time of one.
    return round_trip_seconds_ - tcp_.retransmission_timeout_seconds * std::expm1(-timeouts);
}

}  // namespace linkworth::replay
