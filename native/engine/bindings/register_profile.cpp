// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <string>

#include "profile/scan.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_profile(nb::module_& module);

namespace {

using profile::RankTimes;
using profile::Scan;

nb::list calls_list(const tracefile::Trace& trace, const Scan& scan) {
    nb::list out;
    for (std::size_t name = 0; name < scan.calls.size(); ++name) {
        const profile::CallTotals& call = scan.calls[name];
        if (call.count > 0) {
            nb::dict item;
            item["name"] = trace.names()[name];
            item["count"] = call.count;
            item["bytes"] = call.bytes;
            item["seconds"] = call.seconds;
            out.append(item);
        }
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
        for (std::size_t column = 0; column < traffic.rows(); ++column) {
            line.append(traffic.matrix()[row * traffic.rows() + column]);
        }
        out.append(line);
    }
    return out;
}

nb::dict profile_trace(const tracefile::Trace& trace, std::uint32_t matrix_rows) {
    const Scan scan = [&trace, matrix_rows] {
        const nb::gil_scoped_release released;
        return profile::scan(trace, matrix_rows);
    }();
    nb::list ranks;
    for (const RankTimes& times : scan.ranks) {
        ranks.append(rank_dict(times));
    }
    nb::list damage;
    for (const tracefile::Damage& item : scan.damage) {
        damage.append(nb::make_tuple(item.rank, item.offset, item.what));
    }
    nb::dict out;
    out["calls"] = calls_list(trace, scan);
    out["ranks"] = ranks;
    out["message_sizes"] = sizes_list(scan.traffic);
    out["ranks_per_row"] = scan.traffic.ranks_per_row();
    out["matrix"] = matrix_list(scan.traffic);
    out["messages"] = scan.traffic.messages();
    out["global_bytes"] = scan.global_bytes;
    out["message_bytes"] = scan.traffic.bytes();
    out["unmodelled"] = scan.unmodelled;
    out["damage"] = damage;
    return out;
}

}  // namespace

void register_profile(nb::module_& module) {
    module.def("profile_trace", &profile_trace, nb::arg("trace"), nb::arg("matrix_rows") = 256);
}

}  // namespace linkworth::bindings
