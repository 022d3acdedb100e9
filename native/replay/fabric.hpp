// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The parameters of a network, by the names of `linkworth.model.fabric`, which explains them. LogGP by
/// message size (Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995), with packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "replay/fields.hpp"

namespace linkworth::replay {

/// Seconds by message bytes: linear between points, flat outside them.
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

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

struct Path {
    double latency_seconds = 0;
    double bandwidth_bytes_per_second = no_limit;
    double gap_seconds = 0;
    OverheadCurve send_overhead;
    OverheadCurve receive_overhead;
    OverheadCurve added_latency;
    std::uint64_t eager_limit_bytes = 0;
    std::uint64_t mtu_bytes = 0;
    std::uint64_t header_bytes = 0;
    std::uint64_t header_in_mtu_bytes = 0;
    std::uint64_t burst_bytes = 0;

    static void fields(auto&& visit) {
        using enum Allowed;
        visit("latency_seconds", &Path::latency_seconds, amount);
        visit("bandwidth_bytes_per_second", &Path::bandwidth_bytes_per_second, rate);
        visit("gap_seconds", &Path::gap_seconds, amount);
        visit("send_overhead", &Path::send_overhead, amount);
        visit("receive_overhead", &Path::receive_overhead, amount);
        visit("added_latency", &Path::added_latency, amount);
        visit("eager_limit_bytes", &Path::eager_limit_bytes, any);
        visit("mtu_bytes", &Path::mtu_bytes, any);
        visit("header_bytes", &Path::header_bytes, any);
        visit("header_in_mtu_bytes", &Path::header_in_mtu_bytes, any);
        visit("burst_bytes", &Path::burst_bytes, any);
    }

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

enum class Aggregation { stripe, packet, roundrobin, connection, message };
enum class Routing { one_uplink, packet };
enum class Progress { asynchronous, calls };

/// Python's words for the values of an enumeration, in their order.
inline constexpr std::array<const char*, 5> words_of(Aggregation /*kind*/) {
    return {"stripe", "packet", "roundrobin", "connection", "message"};
}
inline constexpr std::array<const char*, 2> words_of(Routing /*kind*/) { return {"static", "packet"}; }
inline constexpr std::array<const char*, 2> words_of(Progress /*kind*/) { return {"asynchronous", "calls"}; }

struct SwitchLevel {
    std::uint32_t nodes_per_group = 1;
    std::uint32_t uplinks = 1;
    double bandwidth_bytes_per_second = no_limit;

    static void fields(auto&& visit) {
        using enum Allowed;
        visit("nodes_per_group", &SwitchLevel::nodes_per_group, any);
        visit("uplinks", &SwitchLevel::uplinks, any);
        visit("bandwidth_bytes_per_second", &SwitchLevel::bandwidth_bytes_per_second, rate);
    }
};

struct Topology {
    std::vector<SwitchLevel> levels;
    double hop_latency_seconds = 0;
    Routing routing = Routing::one_uplink;

    static void fields(auto&& visit) {
        using enum Allowed;
        visit("levels", &Topology::levels, any);
        visit("hop_latency_seconds", &Topology::hop_latency_seconds, amount);
        visit("routing", &Topology::routing, any);
    }
};

struct Tcp {
    double restart_after_seconds = no_limit;
    double initial_window_bytes = 14600;
    double port_buffer_bytes = no_limit;
    double retransmission_timeout_seconds = 0.2;
    double timeout_share = 0;
    double burst_seconds = no_limit;
    double share_ratio = 1;
    double send_buffer_bytes = 0;
    std::uint64_t one_stream_below_bytes = 0;
    double pair_bytes_per_second = no_limit;
    std::uint64_t pair_from_bytes = 65536;

    static void fields(auto&& visit) {
        using enum Allowed;
        visit("restart_after_seconds", &Tcp::restart_after_seconds, limit);
        visit("initial_window_bytes", &Tcp::initial_window_bytes, limit);
        visit("port_buffer_bytes", &Tcp::port_buffer_bytes, limit);
        visit("retransmission_timeout_seconds", &Tcp::retransmission_timeout_seconds, amount);
        visit("timeout_share", &Tcp::timeout_share, share);
        visit("burst_seconds", &Tcp::burst_seconds, limit);
        visit("share_ratio", &Tcp::share_ratio, positive);
        visit("send_buffer_bytes", &Tcp::send_buffer_bytes, amount);
        visit("one_stream_below_bytes", &Tcp::one_stream_below_bytes, any);
        visit("pair_bytes_per_second", &Tcp::pair_bytes_per_second, rate);
        visit("pair_from_bytes", &Tcp::pair_from_bytes, any);
    }
};

struct Fabric {
    Path link;
    Path intranode;
    std::uint32_t rails = 1;
    double rail_efficiency = 1;
    double duplex_bytes_per_second = no_limit;
    std::uint64_t stripe_min_bytes = 65536;
    std::uint64_t stripe_rest_bytes = 0;
    std::uint32_t stripe_step = 0;
    Aggregation aggregation = Aggregation::stripe;
    std::uint64_t chunk_bytes = 65536;
    Progress progress = Progress::asynchronous;
    double unexpected_copy_bytes_per_second = no_limit;
    double intranode_total_bytes_per_second = no_limit;
    double intranode_duplex_bytes_per_second = no_limit;
    double combine_bytes_per_second = no_limit;
    double block_seconds = 0;
    double datatype_seconds = 0;
    double post_seconds = 0;
    Topology topology;
    Tcp tcp;

    static void fields(auto&& visit) {
        using enum Allowed;
        visit("link", &Fabric::link, any);
        visit("intranode", &Fabric::intranode, any);
        visit("rails", &Fabric::rails, any);
        visit("rail_efficiency", &Fabric::rail_efficiency, share);
        visit("duplex_bytes_per_second", &Fabric::duplex_bytes_per_second, rate);
        visit("stripe_min_bytes", &Fabric::stripe_min_bytes, any);
        visit("stripe_rest_bytes", &Fabric::stripe_rest_bytes, any);
        visit("stripe_step", &Fabric::stripe_step, any);
        visit("aggregation", &Fabric::aggregation, any);
        visit("chunk_bytes", &Fabric::chunk_bytes, any);
        visit("progress", &Fabric::progress, any);
        visit("unexpected_copy_bytes_per_second", &Fabric::unexpected_copy_bytes_per_second, rate);
        visit("intranode_total_bytes_per_second", &Fabric::intranode_total_bytes_per_second, rate);
        visit("intranode_duplex_bytes_per_second", &Fabric::intranode_duplex_bytes_per_second, rate);
        visit("combine_bytes_per_second", &Fabric::combine_bytes_per_second, rate);
        visit("block_seconds", &Fabric::block_seconds, amount);
        visit("datatype_seconds", &Fabric::datatype_seconds, amount);
        visit("post_seconds", &Fabric::post_seconds, amount);
        visit("topology", &Fabric::topology, any);
        visit("tcp", &Fabric::tcp, any);
    }
};

}  // namespace linkworth::replay
