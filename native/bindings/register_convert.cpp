// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bindings/collective_rules.hpp"
#include "bindings/text.hpp"
#include "convert/ti/ti.hpp"
#include "trace/trace.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_convert(nb::module_& module);

namespace {

nb::dict write_ti(const tracefile::Trace& trace, const std::string& folder, double flops_per_second,
                  bool whole, bool collectives_as_messages, const std::string& library,
                  const ForcedCollectives& forced) {
    convert::TiOptions options;
    options.folder = folder;
    options.flops_per_second = flops_per_second;
    options.whole = whole;
    options.collectives_as_messages = collectives_as_messages;
    options.collectives = collective_rules(library, forced);
    convert::TiResult result;
    {
        const nb::gil_scoped_release released;
        result = convert::write_ti(trace, options);
    }
    nb::dict out;
    out["marked_region"] = result.marked_region;
    out["actions"] = result.actions;
    out["bytes"] = result.bytes;
    out["fixed_wildcards"] = result.fixed_wildcards;
    out["unmatched"] = result.unmatched;
    out["as_messages"] = result.as_messages;
    out["as_sleep"] = result.as_sleep;
    return out;
}

}  // namespace

void register_convert(nb::module_& module) {
    add_exception<convert::ConvertError>(module, "ConvertError", PyExc_ValueError);
    module.def("write_ti", &write_ti, nb::arg("trace"), nb::arg("folder"), nb::arg("flops_per_second"),
               nb::arg("whole"), nb::arg("collectives_as_messages"), nb::arg("library"),
               nb::arg("forced_collectives"));
}

}  // namespace linkworth::bindings
