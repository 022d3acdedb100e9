// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The cost of one message on one way (the link between nodes, or the memory inside a node): LogGP by message
/// size (Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995), with packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace linkworth::replay {

/// CPU seconds by message bytes: linear between points, flat outside them.
class OverheadCurve {
  public:
    OverheadCurve() = default;
    explicit OverheadCurve(std::vector<std::pair<double, double>> points) : points_(std::move(points)) {}

    double at(std::uint64_t bytes) const {
        if (points_.empty()) return 0;
        const double size = static_cast<double>(bytes);
        if (size <= points_.front().first) return points_.front().second;
        for (std::size_t i = 1; i < points_.size(); ++i) {
            if (size <= points_[i].first) {
                const auto& [x0, y0] = points_[i - 1];
                const auto& [x1, y1] = points_[i];
                return y0 + (y1 - y0) * (size - x0) / (x1 - x0);
            }
        }
        return points_.back().second;
    }

    const std::vector<std::pair<double, double>>& points() const { return points_; }

  private:
    std::vector<std::pair<double, double>> points_;
};

/// Data of a request to send, of its answer, and of a request for an access.
inline constexpr std::uint64_t control_bytes = 0;

struct PathCosts {
    double latency_seconds = 0;
    double bandwidth_bytes_per_second = std::numeric_limits<double>::infinity();
    double gap_seconds = 0;
    OverheadCurve send_overhead;
    OverheadCurve receive_overhead;
    std::uint64_t eager_limit_bytes = 0;
    std::uint64_t mtu_bytes = 0;
    std::uint64_t header_bytes = 0;
    std::uint64_t header_in_mtu_bytes = 0;
    /// Bytes that a link passes at once after a long enough idle time (token bucket of a shaped NIC).
    std::uint64_t burst_bytes = 0;

    /// Message bytes and the headers of its packets.
    double wire_bytes(std::uint64_t bytes) const {
        if (mtu_bytes == 0) return static_cast<double>(bytes);
        const std::uint64_t payload = mtu_bytes - header_in_mtu_bytes;
        const std::uint64_t packets = bytes == 0 ? 1 : (bytes + payload - 1) / payload;
        return static_cast<double>(bytes + packets * header_bytes);
    }
    /// Seconds that a message's bytes take on one rail.
    double wire_seconds(std::uint64_t bytes) const { return wire_bytes(bytes) / bandwidth_bytes_per_second; }
    /// CPU seconds of taking a request and answering it.
    double answer_overhead() const {
        return receive_overhead.at(control_bytes) + send_overhead.at(control_bytes);
    }
    bool is_eager(std::uint64_t bytes) const { return bytes <= eager_limit_bytes; }
};

/// Distribution of messages over a node's rails: each message on one rail, each connection on its own rail,
/// or long messages on all rails, in fragments of many packets or packet by packet.
enum class Aggregation { message, connection, stripe, packet };

/// Switches above those to which the nodes are connected: `uplinks` links in each direction from each group
/// of `nodes_per_group` consecutive nodes (a leaf switch, a pod) to the next level. The last level's uplinks
/// meet in one switch.
struct SwitchLevel {
    std::uint32_t nodes_per_group = 1;
    std::uint32_t uplinks = 1;
    double bandwidth_bytes_per_second = std::numeric_limits<double>::infinity();
};

struct Topology {
    std::vector<SwitchLevel> levels;  ///< from the nodes upwards; none: full bisection
    double hop_latency_seconds = 0;   ///< added by each link between switches
    bool per_packet_routing = false;  ///< packets spread over all uplinks; else a pair of nodes keeps one
};

/// Costs that TCP adds to a link.
struct TcpCosts {
    /// A connection that was silent for this long restarts with the initial window (RFC 5681, 4.1). Infinite:
    /// never.
    double restart_after_seconds = std::numeric_limits<double>::infinity();
    double initial_window_bytes = 14600;  ///< RFC 6928: ten segments
    /// Bytes that the switch can buffer for one node's link before it drops packets.
    double port_buffer_bytes = std::numeric_limits<double>::infinity();
    /// Time that a connection waits if only its timer detects the loss (Linux, TCP_RTO_MIN).
    double retransmission_timeout_seconds = 0.2;
    /// Rate of such timeouts for a connection that loses packets at a full port with few segments under way,
    /// each time the buffer fills again.
    double timeout_share = 0;
    /// Seconds of its share of the link that a connection hands to its NIC at once (Linux, tcp_tso_autosize).
    /// All ranks of a node have equal shares. Infinite: always `chunk_bytes`.
    double burst_seconds = std::numeric_limits<double>::infinity();
    /// Bytes of a connection that the kernel buffers. Once the receiver has cleared the way, the sender of a
    /// message continues when all but this much of it has left.
    double send_buffer_bytes = 0;
    /// Messages without data (a request to send, its answer) queue behind the data of their connection.
    bool one_stream = false;
};

/// A network between nodes and the memory path inside them.
struct FabricCosts {
    PathCosts link;
    PathCosts intranode;
    std::uint32_t rails = 1;
    double rail_efficiency = 1;
    std::uint64_t stripe_min_bytes = 65536;
    /// Striping deals equal shares to one rail after the other. The rest goes whole over one rail as soon as
    /// it is at most this long.
    std::uint64_t stripe_rest_bytes = 0;
    /// Under `stripe`, each message moves its connection on by this many rails. A message that is not striped
    /// takes the rail reached then. 0: the rail that is free first.
    std::uint32_t stripe_step = 0;
    Aggregation aggregation = Aggregation::stripe;
    /// Bytes that a NIC sends of one connection before the next has its turn.
    std::uint64_t chunk_bytes = 65536;
    /// Rate at which a message that came before its receive is copied to it.
    double unexpected_copy_bytes_per_second = std::numeric_limits<double>::infinity();
    double intranode_total_bytes_per_second = std::numeric_limits<double>::infinity();
    Topology topology;
    TcpCosts tcp;
    bool contention = true;  ///< false: every message has the network for itself
};

}  // namespace linkworth::replay
