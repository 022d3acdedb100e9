// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>

#include "bindings/text.hpp"
#include "bindings/without_gil.hpp"
#include "convert/otf2/read.hpp"
#include "convert/otf2/write.hpp"
#include "trace/trace.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_otf2(nb::module_& module);

namespace {

nb::dict write_otf2(const tracefile::Trace& trace, const std::string& library, const std::string& folder,
                    const std::string& name, const std::string& creator, const std::string& description,
                    const std::string& program, const std::vector<std::string>& hosts, std::uint64_t date_ns,
                    bool attributes) {
    const convert::Otf2Options options{library, folder, name,    creator,   description,
                                       program, hosts,  date_ns, attributes};
    const auto written = without_gil([&] { return convert::write_otf2(trace, options); });
    nb::dict out;
    out["records"] = written.records;
    out["without_place"] = written.without_place;
    return out;
}

nb::dict write_trace(const convert::Otf2Archive& archive, const std::string& path,
                     const std::string& metadata_json) {
    const auto taken = without_gil([&] { return convert::read_otf2(archive, path, metadata_json); });
    nb::dict out;
    out["events"] = taken.events;
    out["bytes"] = taken.bytes;
    out["unknown"] = taken.unknown;
    out["silent"] = taken.silent;
    out["without_message"] = taken.without_message;
    out["far_ahead"] = taken.far_ahead;
    out["divided"] = taken.divided;
    out["in_place"] = taken.in_place;
    out["unfinished"] = taken.unfinished;
    return out;
}

}  // namespace

void register_otf2(nb::module_& module) {
    module.def("write_otf2", &write_otf2, nb::arg("trace"), nb::arg("library"), nb::arg("folder"),
               nb::arg("name"), nb::arg("creator"), nb::arg("description"), nb::arg("program"),
               nb::arg("hosts"), nb::arg("date_ns"), nb::arg("attributes"));
    nb::class_<convert::Otf2Archive>(module, "Otf2Archive")
        .def(nb::init<const std::string&, const std::string&>(), nb::arg("library"), nb::arg("anchor"))
        .def_ro("creator", &convert::Otf2Archive::creator)
        .def_prop_ro("hosts", &convert::Otf2Archive::hosts)
        .def_prop_ro("seconds", &convert::Otf2Archive::seconds)
        .def_prop_ro("metadata_json", &convert::Otf2Archive::metadata_json)
        .def("write_trace", &write_trace, nb::arg("path"), nb::arg("metadata_json"));
}

}  // namespace linkworth::bindings
