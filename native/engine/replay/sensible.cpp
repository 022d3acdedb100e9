// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/sensible.hpp"

#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>

namespace linkworth::replay {
namespace {

/// 1 / `least_rate` times any message is finite.
constexpr double least_rate = 1e-12;

[[noreturn]] void refuse(const std::string& name, double value, const char* what_to_do) {
    std::ostringstream sentence;
    sentence << name << " is " << value << ", and no replay is possible with that; give " << what_to_do;
    throw ReplayError(sentence.str());
}

void check_amount(const std::string& name, double value) {
    if (!std::isfinite(value) || value < 0) refuse(name, value, "a finite number of 0 or more");
}

void check_factor(const std::string& name, double value) {
    if (!std::isfinite(value) || value <= 0) refuse(name, value, "a finite number above 0");
}

/// Infinite: no limit.
void check_limit(const std::string& name, double value) {
    if (!(value >= 0)) refuse(name, value, "a number of 0 or more");
}

void check_rate(const std::string& name, double value) {
    if (!(value >= least_rate)) refuse(name, value, "bytes per second of at least 1e-12");
}

void check_share(const std::string& name, double value) {
    if (!(value >= 0 && value <= 1)) refuse(name, value, "a share from 0 to 1");
}

void check_path(const std::string& name, const PathCosts& path) {
    check_amount(name + ".latency_seconds", path.latency_seconds);
    check_rate(name + ".bandwidth_bytes_per_second", path.bandwidth_bytes_per_second);
    check_amount(name + ".gap_seconds", path.gap_seconds);
    for (const auto& [size, seconds] : path.send_overhead.points()) {
        check_amount("a size of " + name + ".send_overhead", size);
        check_amount(name + ".send_overhead", seconds);
    }
    for (const auto& [size, seconds] : path.receive_overhead.points()) {
        check_amount("a size of " + name + ".receive_overhead", size);
        check_amount(name + ".receive_overhead", seconds);
    }
}

void check_fabric(const FabricCosts& fabric) {
    check_path("link", fabric.link);
    check_path("intranode", fabric.intranode);
    check_share("rail_efficiency", fabric.rail_efficiency);
    check_rate("unexpected_copy_bytes_per_second", fabric.unexpected_copy_bytes_per_second);
    check_rate("intranode_total_bytes_per_second", fabric.intranode_total_bytes_per_second);
    check_amount("topology.hop_latency_seconds", fabric.topology.hop_latency_seconds);
    for (const SwitchLevel& level : fabric.topology.levels)
        check_rate("topology.levels.bandwidth_bytes_per_second", level.bandwidth_bytes_per_second);
    check_limit("tcp.restart_after_seconds", fabric.tcp.restart_after_seconds);
    check_limit("tcp.initial_window_bytes", fabric.tcp.initial_window_bytes);
    check_limit("tcp.port_buffer_bytes", fabric.tcp.port_buffer_bytes);
    check_amount("tcp.retransmission_timeout_seconds", fabric.tcp.retransmission_timeout_seconds);
    check_share("tcp.timeout_share", fabric.tcp.timeout_share);
    check_limit("tcp.burst_seconds", fabric.tcp.burst_seconds);
    check_amount("tcp.send_buffer_bytes", fabric.tcp.send_buffer_bytes);
}

void check_computation(const ComputationCosts& computation) {
    check_factor("the CPU factor", computation.factor);
    for (const auto& [level, factor] : computation.factor_at)
        check_factor("the CPU factor of level " + std::to_string(level), factor);
    check_amount("the memory demand", computation.memory_demand);
    check_amount("the noise", computation.noise);
    if (!computation.node) return;
    check_rate("the memory bandwidth of a node", computation.node->memory_bytes_per_second);
    if (!(computation.node->cores >= 1)) refuse("the cores of a node", computation.node->cores, "1 or more");
    check_factor("the gain of hardware threads", computation.node->thread_gain);
}

}  // namespace

void check_sensible(const ReplayOptions& options) {
    check_fabric(options.fabric);
    check_computation(options.computation);
    check_rate("combine_bytes_per_second", options.combine_bytes_per_second);
}

void check_finite(const ReplayResult& result) {
    const double times[] = {result.seconds,
                            result.compute_seconds,
                            result.overhead_seconds,
                            result.latency_seconds,
                            result.bandwidth_seconds,
                            result.wait_seconds,
                            result.scaled_compute_seconds,
                            result.link_latencies,
                            result.link_bandwidth_seconds};
    for (const double time : times)
        if (!std::isfinite(time))
            throw ReplayError(
                "the replay gives no finite time: a rate, a factor or a time of the fabric or of the "
                "options is too extreme for this trace");
}

}  // namespace linkworth::replay
