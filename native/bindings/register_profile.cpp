// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/collective_rules.hpp"
#include "bindings/text.hpp"
#include "calls/names.hpp"
#include "profile/node_groups.hpp"
#include "profile/phases.hpp"
#include "profile/scan.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_profile(nb::module_& module);

namespace {

using profile::ActivityMap;
using profile::RankTimes;
using profile::Scan;

nb::dict totals_dict(const profile::CallTotals& call) {
    nb::dict out;
    out["count"] = call.count;
    out["bytes"] = call.bytes;
    out["seconds"] = call.seconds;
    return out;
}

/// Calls by name, each with those of its call sites.
nb::list calls_list(const tracefile::Trace& trace, const Scan& scan) {
    struct Call {
        profile::CallTotals totals;
        nb::list sites;
    };
    std::map<std::string_view, Call> calls;
    for (std::size_t entry = 0; entry < scan.calls.size(); ++entry) {
        const profile::CallTotals& part = scan.calls[entry];
        if (part.count == 0) continue;
        const auto [name, site] = tracefile::at_site(trace.entries()[entry]);
        Call& call = calls[name];
        call.totals.count += part.count;
        call.totals.bytes += part.bytes;
        call.totals.seconds += part.seconds;
        if (!site.empty()) {
            nb::dict item = totals_dict(part);
            item["site"] = to_python(site);
            call.sites.append(item);
        }
    }
    nb::list out;
    for (const auto& [name, call] : calls) {
        nb::dict item = totals_dict(call.totals);
        item["name"] = to_python(name);
        item["sites"] = call.sites;
        out.append(item);
    }
    return out;
}

nb::dict rank_dict(const RankTimes& times) {
    nb::dict out;
    out["events"] = times.events;
    out["before_init_seconds"] = times.before_init;
    out["compute_seconds"] = times.compute;
    out["compute_wall_seconds"] = times.compute_wall;
    out["descheduled_seconds"] = times.descheduled;
    out["communication_seconds"] = times.communication;
    out["init_seconds"] = times.init;
    out["marked_seconds"] = times.marked;
    out["marked_compute_seconds"] = times.marked_compute;
    out["files_seconds"] = times.files;
    out["marked_files_seconds"] = times.marked_files;
    return out;
}

// (lowest bytes, highest bytes, messages, bytes), the classes that occur.
nb::list sizes_list(const profile::Traffic& traffic) {
    nb::list out;
    for (std::size_t size_class = 0; size_class < traffic.sizes().size(); ++size_class) {
        const profile::SizeClass& size = traffic.sizes()[size_class];
        if (size.messages > 0) {
            const std::uint64_t lowest = size_class == 0 ? 0 : std::uint64_t{1} << (size_class - 1);
            const std::uint64_t highest = size_class == 0 ? 0 : lowest + (lowest - 1);
            out.append(nb::make_tuple(lowest, highest, size.messages, size.bytes));
        }
    }
    return out;
}

nb::list matrix_list(const profile::Traffic& traffic) {
    nb::list out;
    for (std::size_t row = 0; row < traffic.rows(); ++row) {
        nb::list line;
        for (std::size_t column = 0; column < traffic.rows(); ++column)
            line.append(traffic.matrix()[row * traffic.rows() + column]);
        out.append(line);
    }
    return out;
}

// (from -(ranks - 1) on: distance, messages, bytes), those that occur.
nb::list distances_list(const profile::Traffic& traffic, std::uint32_t ranks) {
    nb::list out;
    for (std::size_t at = 0; at < traffic.distances().size(); ++at) {
        const profile::SizeClass& distance = traffic.distances()[at];
        if (distance.messages > 0) {
            out.append(nb::make_tuple(static_cast<std::int64_t>(at) - (static_cast<std::int64_t>(ranks) - 1),
                                      distance.messages, distance.bytes));
        }
    }
    return out;
}

nb::dict waited_dict(const profile::WaitSums& sums) {
    const auto one = [](const profile::Waited& waited) {
        nb::dict out;
        out["calls"] = waited.calls;
        out["seconds"] = waited.seconds;
        return out;
    };
    nb::dict out;
    out["late_sender"] = one(sums.late_sender);
    out["late_receiver"] = one(sums.late_receiver);
    out["collective"] = one(sums.collective);
    return out;
}

nb::dict waits_dict(const tracefile::Trace& trace, const profile::Waits& waits) {
    nb::list ranks;
    for (const profile::RankWaits& rank : waits.ranks()) {
        nb::dict item = waited_dict(rank);
        item["caused_seconds"] = rank.caused;
        ranks.append(item);
    }
    nb::list calls;
    for (std::size_t name = 0; name < waits.calls().size(); ++name) {
        const profile::WaitSums& call = waits.calls()[name];
        if (call.late_sender.calls + call.late_receiver.calls + call.collective.calls > 0) {
            nb::dict item = waited_dict(call);
            item["name"] = trace.names()[name];
            calls.append(item);
        }
    }
    nb::dict out;
    out["ranks"] = ranks;
    out["calls"] = calls;
    out["messages"] = waits.messages();
    out["unmatched"] = waits.unmatched();
    return out;
}

nb::dict phase_dict(const tracefile::Trace& trace, const profile::Phase& phase) {
    nb::list names;
    for (const std::uint32_t name : phase.names) names.append(trace.names()[name]);
    nb::list inner;
    for (const profile::Phase& loop : phase.inner) inner.append(phase_dict(trace, loop));
    nb::dict out;
    out["is_loop"] = phase.is_loop;
    out["start_seconds"] = phase.start;
    out["seconds"] = phase.seconds;
    out["calls"] = phase.calls;
    out["interruptions"] = phase.interruptions;
    out["iterations"] = phase.iterations.count;
    out["sum_seconds"] = phase.iterations.sum;
    out["sum_of_squares"] = phase.iterations.sum_of_squares;
    out["least_seconds"] = phase.iterations.least;
    out["most_seconds"] = phase.iterations.most;
    out["names"] = names;
    out["inner"] = inner;
    return out;
}

nb::dict phases_dict(const tracefile::Trace& trace, const profile::Phases& found) {
    nb::list phases;
    for (const profile::Phase& phase : found.phases) phases.append(phase_dict(trace, phase));
    nb::dict out;
    out["rank"] = found.rank;
    out["likeness"] = found.likeness == profile::Likeness::arguments ? "arguments"
                      : found.likeness == profile::Likeness::peers   ? "peers"
                                                                     : "names";
    out["seconds"] = found.seconds;
    out["looped_seconds"] = found.looped;
    out["phases"] = phases;
    return out;
}

nb::dict profile_trace(const tracefile::Trace& trace, std::uint32_t matrix_rows,
                       std::vector<std::uint32_t> nodes, bool with_phases, const std::string& library) {
    profile::Phases phases;
    const replay::collectives::Rules rules = collective_rules(library, {});
    const Scan scan = [&] {
        const nb::gil_scoped_release released;
        if (!with_phases) return profile::scan(trace, matrix_rows, std::move(nodes), rules);
        // Usually the walk over the first rank is enough, and its events are read here anyway.
        profile::LoopWalk walk(trace, profile::Likeness::arguments);
        Scan found = profile::scan(trace, matrix_rows, std::move(nodes), rules, &walk);
        phases = profile::find_phases(trace, &walk);
        return found;
    }();
    nb::list ranks;
    for (const RankTimes& times : scan.ranks) ranks.append(rank_dict(times));
    nb::list damage;
    for (const tracefile::Damage& item : scan.damage)
        damage.append(nb::make_tuple(item.rank, item.offset, item.what));
    nb::dict out;
    out["calls"] = calls_list(trace, scan);
    out["ranks"] = ranks;
    out["message_sizes"] = sizes_list(scan.traffic);
    out["ranks_per_row"] = scan.traffic.ranks_per_row();
    out["matrix"] = matrix_list(scan.traffic);
    out["distances"] = distances_list(scan.traffic, trace.ranks());
    out["between_nodes_messages"] = scan.traffic.between_nodes().messages;
    out["between_nodes_bytes"] = scan.traffic.between_nodes().bytes;
    out["waits"] = waits_dict(trace, scan.waits);
    out["messages"] = scan.traffic.messages();
    out["global_bytes"] = scan.global_bytes;
    out["message_bytes"] = scan.traffic.bytes();
    out["unmodelled"] = scan.unmodelled;
    out["damage"] = damage;
    if (with_phases) out["phases"] = phases_dict(trace, phases);
    return out;
}

nb::list node_groups(const tracefile::Trace& trace) {
    const std::vector<profile::NodeGroup> groups = [&] {
        const nb::gil_scoped_release released;
        return profile::node_groups(trace);
    }();
    nb::list out;
    for (const profile::NodeGroup& group : groups) {
        nb::dict item;
        item["shares_memory"] = group.shares_memory;
        item["members"] = group.members;
        item["among"] = group.among;
        item["calls"] = group.calls;
        out.append(item);
    }
    return out;
}

}  // namespace

void register_profile(nb::module_& module) {
    nb::class_<ActivityMap>(module, "ActivityMap")
        .def_prop_ro("ranks_per_row", &ActivityMap::ranks_per_row)
        .def_prop_ro("width_seconds", &ActivityMap::width_seconds)
        .def_prop_ro("seconds", &ActivityMap::seconds);
    module.def("activities", &profile::activities, nb::arg("trace"),
               nb::call_guard<nb::gil_scoped_release>());
    module.def("profile_trace", &profile_trace, nb::arg("trace"), nb::arg("matrix_rows") = 256,
               nb::arg("nodes") = std::vector<std::uint32_t>{}, nb::arg("phases") = false,
               nb::arg("library") = "mpich");
    module.def("node_groups", &node_groups, nb::arg("trace"));
}

}  // namespace linkworth::bindings
