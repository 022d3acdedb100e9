// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
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

/// Fields of `linkworth.model.trace.RankInfo`.
nb::dict rank_info(const MergedRank& rank) {
    nb::dict out;
    out["rank"] = rank.rank;
    out["host"] = rank.host;
    out["processor"] = rank.processor;
    out["pid"] = rank.pid;
    out["state"] = rank.state;
    out["start_seconds"] = rank.start_seconds;
    out["elapsed_seconds"] = rank.elapsed_seconds;
    out["cpu_seconds"] = rank.cpu_seconds;
    out["helpers_seconds"] = rank.helpers_seconds;
    out["cores"] = rank.cores;
    if (rank.first_core >= 0) out["first_core"] = rank.first_core;
    out["dropped_events"] = rank.dropped_events;
    return out;
}

/// `make_metadata` returns the trace's metadata as JSON, from the fields of each rank and the damage.
nb::dict merge_parts(const std::vector<std::string>& parts, const std::string& output,
                     const nb::callable& make_metadata, bool compress, std::uint32_t step_ns) {
    const auto metadata = [&](const MergeResult& result) {
        const nb::gil_scoped_acquire acquired;
        nb::list ranks;
        for (const MergedRank& rank : result.rank_info) ranks.append(rank_info(rank));
        return nb::cast<std::string>(make_metadata(ranks, result.damage));
    };
    const auto result =
        without_gil([&] { return tracefile::merge_parts(parts, output, metadata, {compress, step_ns}); });
    nb::dict out;
    out["ranks"] = result.ranks;
    out["events"] = result.events;
    out["file_bytes"] = result.file_bytes;
    out["damage"] = result.damage;
    out["unmodelled"] = result.unmodelled;
    return out;
}

/// Facts of a part's header and its table of names, without its records.
nb::dict part_info(const std::string& path) {
    const auto part = without_gil([&] { return Part(path, false); });
    nb::list sites;
    for (const std::string& entry : part.entries())
        if (const std::string_view site = tracefile::at_site(entry).site; !site.empty())
            sites.append(to_python(site));
    nb::dict out;
    out["call_sites"] = sites;
    out["size"] = part.header().size;
    out["library"] = part.header().library;
    out["state"] = part.state();
    return out;
}

}  // namespace

void register_merge(nb::module_& module) {
    module.def("merge_parts", &merge_parts, nb::arg("parts"), nb::arg("output"), nb::arg("make_metadata"),
               nb::arg("compress") = true, nb::arg("step_ns") = 0);
    module.def("part_info", &part_info, nb::arg("path"));
}

}  // namespace linkworth::bindings
