// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "bindings/text.hpp"
#include "bindings/without_gil.hpp"
#include "skeleton/record.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_skeleton(nb::module_& module);

namespace {

nb::dict programs() {
    nb::dict out;
    for (const skeleton::Skeleton& each : skeleton::skeletons()) {
        nb::list phases;
        for (const std::string_view phase : each.phases) phases.append(std::string(phase));
        out[nb::cast(std::string(each.name))] = phases;
    }
    return out;
}

nb::dict record(const std::string& program, const std::vector<std::string>& arguments, int ranks,
                const std::vector<double>& seconds_per_operation, const std::string& path,
                const std::string& metadata_json, std::size_t threads, std::optional<nb::callable> progress,
                std::optional<int> iterations) {
    skeleton::Progress report;
    if (progress) {
        report = [&](std::uint32_t done) {
            const nb::gil_scoped_acquire held;
            (*progress)(done);
        };
    }
    const auto result = without_gil([&] {
        return skeleton::record(skeleton::find_skeleton(program), {arguments, iterations}, ranks,
                                seconds_per_operation, path, metadata_json, threads, report);
    });
    nb::dict out;
    out["events"] = result.events;
    out["file_bytes"] = result.file_bytes;
    return out;
}

std::vector<double> work(const std::string& program, const std::vector<std::string>& arguments, int ranks,
                         int rank, double cache_bytes) {
    const nb::gil_scoped_release released;
    return skeleton::count_work(skeleton::find_skeleton(program), {arguments}, ranks, rank, cache_bytes);
}

void check(const std::string& program, const std::vector<std::string>& arguments, int ranks) {
    skeleton::check(skeleton::find_skeleton(program), {arguments}, ranks);
}

}  // namespace

void register_skeleton(nb::module_& module) {
    add_exception<skeleton::UsageError>(module, "SkeletonError", PyExc_ValueError);
    module.def("skeleton_programs", &programs);
    module.def("check_skeleton", &check, nb::arg("program"), nb::arg("arguments"), nb::arg("ranks"));
    module.def("record_skeleton", &record, nb::arg("program"), nb::arg("arguments"), nb::arg("ranks"),
               nb::arg("seconds_per_operation"), nb::arg("path"), nb::arg("metadata_json"),
               nb::arg("threads") = 1, nb::arg("progress") = nb::none(), nb::arg("iterations") = nb::none());
    module.def("skeleton_work", &work, nb::arg("program"), nb::arg("arguments"), nb::arg("ranks"),
               nb::arg("rank"), nb::arg("cache_bytes") = 0.0);
}

}  // namespace linkworth::bindings
