// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bindings/text.hpp"
#include "bindings/without_gil.hpp"
#include "calls/names.hpp"
#include "trace/merge.hpp"
#include "trace/part.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_merge(nb::module_& module);

namespace {

using tracefile::MergedRank;
using tracefile::MergeResult;
using tracefile::Part;

nb::dict rank_dict(const MergedRank& rank) {
    nb::dict out;
    out["rank"] = rank.rank;
    out["host"] = rank.host;
    out["pid"] = rank.pid;
    out["state"] = rank.state;
    out["start_seconds"] = rank.start_seconds;
    out["elapsed_seconds"] = rank.elapsed_seconds;
    out["cpu_seconds"] = rank.cpu_seconds;
    out["cores"] = rank.cores;
    out["dropped_events"] = rank.dropped_events;
    out["events"] = rank.events;
    return out;
}

nb::dict merge_parts(const std::vector<std::string>& parts, const std::string& output,
                     const std::string& metadata_json, bool compress, std::uint32_t step_ns) {
    const auto result = without_gil(
        [&] { return tracefile::merge_parts(parts, output, metadata_json, {compress, step_ns}); });
    nb::list ranks;
    for (const MergedRank& rank : result.rank_info) ranks.append(rank_dict(rank));
    nb::dict out;
    out["ranks"] = result.ranks;
    out["events"] = result.events;
    out["file_bytes"] = result.file_bytes;
    out["library"] = result.library;
    out["rank_info"] = ranks;
    out["damage"] = result.damage;
    out["unmodelled"] = result.unmodelled;
    return out;
}

nb::dict part_info(const std::string& path, bool with_records) {
    const auto part = [&path, with_records] {
        const nb::gil_scoped_release released;
        return Part(path, with_records);
    }();
    nb::dict calls;
    std::map<std::string, std::uint64_t> counted;
    for (std::size_t name = 0; name < part.names().size(); ++name) {
        if (part.counts().events[name] > 0) {
            std::uint64_t& sum = counted[part.names()[name]];
            sum += part.counts().events[name];
            calls[to_python(part.names()[name])] = sum;
        }
    }
    nb::list sites;
    for (const std::string& entry : part.entries())
        if (const std::string_view site = tracefile::at_site(entry).site; !site.empty())
            sites.append(to_python(site));
    nb::dict out;
    out["call_sites"] = sites;
    out["rank"] = part.header().rank;
    out["size"] = part.header().size;
    out["host"] = part.header().host;
    out["pid"] = part.header().pid;
    out["program"] = part.header().program;
    out["library"] = part.header().library;
    out["cores"] = part.header().cores;
    out["initialised"] = part.has(tracefile::part_initialised);
    out["state"] = part.state();
    out["dropped_events"] = part.header().dropped;
    out["seconds_per_tick"] = part.seconds_per_tick();
    out["events"] = part.events();
    out["calls"] = calls;
    out["problems"] = part.problems();
    return out;
}

}  // namespace

void register_merge(nb::module_& module) {
    module.def("merge_parts", &merge_parts, nb::arg("parts"), nb::arg("output"), nb::arg("metadata_json"),
               nb::arg("compress") = true, nb::arg("step_ns") = 0);
    module.def("part_info", &part_info, nb::arg("path"), nb::arg("with_records") = true);
}

}  // namespace linkworth::bindings
