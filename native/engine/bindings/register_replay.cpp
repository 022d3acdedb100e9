// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/collective_rules.hpp"
#include "bindings/text.hpp"
#include "replay/replay.hpp"
#include "tracefile/trace.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_replay(nb::module_& module);

namespace {

using replay::Aggregation;
using replay::FabricCosts;
using replay::OverheadCurve;
using replay::PathCosts;
using replay::ReplayOptions;
using replay::ReplayResult;
using replay::TcpCosts;
using replay::Topology;

using Points = std::vector<std::pair<double, double>>;

PathCosts path_costs(const nb::dict& path) {
    PathCosts costs;
    costs.latency_seconds = nb::cast<double>(path["latency_seconds"]);
    costs.bandwidth_bytes_per_second = nb::cast<double>(path["bandwidth_bytes_per_second"]);
    costs.gap_seconds = nb::cast<double>(path["gap_seconds"]);
    costs.send_overhead = OverheadCurve(nb::cast<Points>(path["send_overhead"]));
    costs.receive_overhead = OverheadCurve(nb::cast<Points>(path["receive_overhead"]));
    costs.eager_limit_bytes = nb::cast<std::uint64_t>(path["eager_limit_bytes"]);
    costs.mtu_bytes = nb::cast<std::uint64_t>(path["mtu_bytes"]);
    costs.header_bytes = nb::cast<std::uint64_t>(path["header_bytes"]);
    costs.header_in_mtu_bytes = nb::cast<std::uint64_t>(path["header_in_mtu_bytes"]);
    costs.burst_bytes = nb::cast<std::uint64_t>(path["burst_bytes"]);
    return costs;
}

Aggregation aggregation_of(const std::string& name) {
    if (name == "message") return Aggregation::message;
    if (name == "connection") return Aggregation::connection;
    if (name == "packet") return Aggregation::packet;
    return Aggregation::stripe;
}

Topology topology(const nb::dict& given) {
    Topology topology;
    for (const nb::handle each : nb::cast<nb::list>(given["levels"])) {
        const auto level = nb::cast<nb::dict>(each);
        topology.levels.push_back({nb::cast<std::uint32_t>(level["nodes_per_group"]),
                                   nb::cast<std::uint32_t>(level["uplinks"]),
                                   nb::cast<double>(level["bandwidth_bytes_per_second"])});
    }
    topology.hop_latency_seconds = nb::cast<double>(given["hop_latency_seconds"]);
    topology.per_packet_routing = nb::cast<std::string>(given["routing"]) == "packet";
    return topology;
}

TcpCosts tcp_costs(const nb::dict& given) {
    return {nb::cast<double>(given["restart_after_seconds"]),
            nb::cast<double>(given["initial_window_bytes"]),
            nb::cast<double>(given["port_buffer_bytes"]),
            nb::cast<double>(given["retransmission_timeout_seconds"]),
            nb::cast<double>(given["timeout_share"]),
            nb::cast<double>(given["burst_seconds"]),
            nb::cast<double>(given["send_buffer_bytes"]),
            nb::cast<bool>(given["one_stream"])};
}

std::optional<replay::NodeCosts> node_costs(const nb::handle& given) {
    if (given.is_none()) return std::nullopt;
    const auto node = nb::cast<nb::dict>(given);
    return replay::NodeCosts{nb::cast<double>(node["memory_bytes_per_second"]),
                             nb::cast<double>(node["cores"]), nb::cast<double>(node["thread_gain"])};
}

ReplayOptions replay_options(const nb::dict& given) {
    ReplayOptions options;
    FabricCosts& fabric = options.fabric;
    fabric.link = path_costs(nb::cast<nb::dict>(given["link"]));
    fabric.intranode = path_costs(nb::cast<nb::dict>(given["intranode"]));
    fabric.rails = nb::cast<std::uint32_t>(given["rails"]);
    fabric.rail_efficiency = nb::cast<double>(given["rail_efficiency"]);
    fabric.stripe_min_bytes = nb::cast<std::uint64_t>(given["stripe_min_bytes"]);
    fabric.stripe_rest_bytes = nb::cast<std::uint64_t>(given["stripe_rest_bytes"]);
    fabric.stripe_step = nb::cast<std::uint32_t>(given["stripe_step"]);
    fabric.aggregation = aggregation_of(nb::cast<std::string>(given["aggregation"]));
    fabric.chunk_bytes = nb::cast<std::uint64_t>(given["chunk_bytes"]);
    fabric.contention = nb::cast<bool>(given["contention"]);
    fabric.unexpected_copy_bytes_per_second = nb::cast<double>(given["unexpected_copy_bytes_per_second"]);
    fabric.topology = topology(nb::cast<nb::dict>(given["topology"]));
    fabric.tcp = tcp_costs(nb::cast<nb::dict>(given["tcp"]));
    fabric.intranode_total_bytes_per_second = nb::cast<double>(given["intranode_total_bytes_per_second"]);
    options.node_of_rank = nb::cast<std::vector<std::uint32_t>>(given["node_of_rank"]);
    options.computation.factor = nb::cast<double>(given["cpu_factor"]);
    options.computation.factor_at = nb::cast<std::map<std::int32_t, double>>(given["cpu_factor_at"]);
    options.computation.memory_demand = nb::cast<double>(given["memory_demand"]);
    options.computation.node = node_costs(given["node"]);
    options.computation.noise = nb::cast<double>(given["noise"]);
    options.computation.seed = nb::cast<std::uint64_t>(given["seed"]);
    options.progress_in_calls_only = nb::cast<bool>(given["progress_in_calls_only"]);
    options.tolerate_cut = nb::cast<bool>(given["tolerate_cut"]);
    options.collectives = collective_rules(nb::cast<std::string>(given["library"]),
                                           nb::cast<ForcedCollectives>(given["forced_collectives"]));
    options.combine_bytes_per_second = nb::cast<double>(given["combine_bytes_per_second"]);
    options.counted_level = nb::cast<std::optional<std::int32_t>>(given["counted_level"]);
    options.keep_marks = nb::cast<bool>(given["keep_marks"]);
    options.pass_unmodelled = nb::cast<bool>(given["pass_unmodelled"]);
    return options;
}

/// The time in which each rank computed, in stretches of time that are the same for all.
nb::dict computation(std::vector<replay::LoadHistory> ranks) {
    double width = 0;
    for (const auto& rank : ranks) width = std::max(width, rank.width_seconds());
    nb::list busy;
    for (auto& rank : ranks) {
        rank.widen_to(width);
        busy.append(rank.busy());
    }
    nb::dict out;
    out["width_seconds"] = width;
    out["busy"] = busy;
    return out;
}

nb::dict recorded(const replay::Recording& recording) {
    static constexpr const char* kinds[] = {"nic_out", "nic_in", "switch_up", "switch_down"};
    nb::list calls, messages, loads;
    for (const auto& call : recording.calls)
        calls.append(nb::make_tuple(call.rank, call.thread, call.name, call.start_seconds, call.end_seconds));
    for (const auto& message : recording.messages)
        messages.append(nb::make_tuple(message.source, message.destination, message.bytes,
                                       message.sent_seconds, message.received_seconds));
    for (const auto& load : recording.loads) {
        nb::dict link;
        link["kind"] = kinds[static_cast<std::size_t>(load.kind)];
        link["level"] = load.level;
        link["place"] = load.place;
        link["number"] = load.number;
        link["busy_seconds"] = load.history.busy_seconds();
        link["width_seconds"] = load.history.width_seconds();
        link["busy"] = load.history.busy();
        loads.append(link);
    }
    nb::dict out;
    out["calls"] = calls;
    out["messages"] = messages;
    out["loads"] = loads;
    out["computation"] = computation(recording.computation);
    out["cut"] = recording.cut;
    return out;
}

nb::dict result_of(const ReplayResult& result) {
    nb::dict out;
    out["seconds"] = result.seconds;
    out["marked_region"] = result.marked_region;
    out["compute_seconds"] = result.compute_seconds;
    out["overhead_seconds"] = result.overhead_seconds;
    out["latency_seconds"] = result.latency_seconds;
    out["bandwidth_seconds"] = result.bandwidth_seconds;
    out["wait_seconds"] = result.wait_seconds;
    out["scaled_compute_seconds"] = result.scaled_compute_seconds;
    out["link_latencies"] = result.link_latencies;
    out["link_bandwidth_seconds"] = result.link_bandwidth_seconds;
    out["internode_bytes"] = result.internode_bytes;
    out["timed_internode_bytes"] = result.timed_internode_bytes;
    out["messages"] = result.messages;
    out["events"] = result.events;
    out["threaded_ranks"] = result.threaded_ranks;
    out["rank_compute_seconds"] = result.rank_compute_seconds;
    out["level_compute_seconds"] = result.level_compute_seconds;
    out["unmodelled"] = result.unmodelled;
    out["input_output_seconds"] = result.input_output_seconds;
    out["mark_seconds"] = result.mark_seconds;
    out["levels"] = std::vector<std::int32_t>(result.levels.begin(), result.levels.end());
    out["forced_applied"] = result.forced_applied;
    out["stopped"] = result.stopped;
    return out;
}

/// Takes one dictionary per program. `record` in the first one's options requests a recording, of a program
/// alone.
nb::list replay_together(const nb::list& given) {
    std::vector<ReplayOptions> options;
    std::vector<const tracefile::Trace*> traces;
    for (const nb::handle each : given) {
        const auto program = nb::cast<nb::tuple>(each);
        traces.push_back(nb::cast<const tracefile::Trace*>(program[0]));
        options.push_back(replay_options(nb::cast<nb::dict>(program[1])));
    }
    if (traces.empty()) throw nb::value_error("no program to replay");
    replay::Recording recording;
    const auto first = nb::cast<nb::dict>(nb::cast<nb::tuple>(given[0])[1]);
    const bool record = first.contains("record") && traces.size() == 1;
    if (record) {
        const auto [from, to, most] = nb::cast<std::tuple<double, double, std::size_t>>(first["record"]);
        recording.from_seconds = from;
        recording.to_seconds = to;
        recording.most = most;
        options.front().recording = &recording;
    }
    std::vector<replay::Tenant> tenants;
    for (std::size_t i = 0; i < traces.size(); ++i) tenants.push_back({traces[i], &options[i]});
    std::vector<ReplayResult> results;
    {
        const nb::gil_scoped_release released;
        results = replay::replay_together(tenants);
    }
    nb::list out;
    for (const ReplayResult& result : results) out.append(result_of(result));
    if (record) out[0]["recording"] = recorded(recording);
    return out;
}

}  // namespace

void register_replay(nb::module_& module) {
    const auto replay_error = add_exception<replay::ReplayError>(module, "ReplayError", PyExc_ValueError);
    add_exception<replay::ReplayStoppedError>(module, "ReplayStoppedError", replay_error.ptr());
    module.def("replay_together", &replay_together, nb::arg("programs"));
}

}  // namespace linkworth::bindings
