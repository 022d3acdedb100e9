// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/collective_rules.hpp"
#include "bindings/numpy_array.hpp"
#include "bindings/text.hpp"
#include "bindings/without_gil.hpp"
#include "calls/names.hpp"
#include "convert/convert_error.hpp"
#include "convert/parquet/columns.hpp"
#include "convert/ti/import.hpp"
#include "convert/ti/ti.hpp"
#include "convert/timeline.hpp"
#include "trace/trace.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_convert(nb::module_& module);

namespace {

template <auto write>
nb::dict write_timeline(const tracefile::Trace& trace, const std::string& path,
                        const std::vector<std::string>& hosts) {
    const auto result = without_gil([&] { return write(trace, path, hosts); });
    nb::dict out;
    out["events"] = result.events;
    out["messages"] = result.messages;
    out["half_messages"] = result.half_messages;
    out["unplaced"] = result.unplaced;
    out["bytes"] = result.bytes;
    return out;
}

nb::dict write_ti(const tracefile::Trace& trace, const std::string& folder, double flops_per_second,
                  bool whole, bool collectives_as_messages, const std::string& library) {
    convert::TiOptions options;
    options.folder = folder;
    options.flops_per_second = flops_per_second;
    options.whole = whole;
    options.collectives_as_messages = collectives_as_messages;
    options.collectives = collective_rules(library, {});
    const auto result = without_gil([&] { return convert::write_ti(trace, options); });
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

nb::dict read_ti(const std::vector<std::string>& paths, double flops_per_second, const std::string& output,
                 const std::string& metadata_json) {
    const auto result =
        without_gil([&] { return convert::read_ti(paths, flops_per_second, output, metadata_json); });
    nb::dict out;
    out["ranks"] = result.ranks;
    out["actions"] = result.actions;
    out["events"] = result.events;
    out["bytes"] = result.bytes;
    out["idle_waits"] = result.idle_waits;
    out["unmatched"] = result.unmatched;
    out["unknown"] = result.unknown;
    return out;
}

/// Returns (values, present), or None if no row has a value.
nb::object optional_array(convert::EventBatch::OptionalColumn&& column) {
    if (!column.any) return nb::none();
    return nb::make_tuple(array(std::move(column.values)), array(std::move(column.present)));
}

/// (offsets, values)
nb::object lists(convert::ListColumn&& column) {
    return nb::make_tuple(array(std::move(column.offsets)), array(std::move(column.values)));
}

nb::dict message_columns(const tracefile::Trace& trace) {
    auto columns = without_gil([&] { return convert::message_columns(trace); });
    nb::dict out;
    out["source"] = array(std::move(columns.source));
    out["destination"] = array(std::move(columns.destination));
    out["bytes"] = array(std::move(columns.bytes));
    out["sent_ns"] = array(std::move(columns.sent_ns));
    out["received_ns"] = array(std::move(columns.received_ns));
    return out;
}

nb::dict next_batch(convert::EventColumns& columns, std::size_t most_rows, std::size_t enough_values) {
    auto batch = without_gil([&] { return columns.next(most_rows, enough_values); });
    nb::dict out;
    out["thread"] = array(std::move(batch.thread));
    out["start_ns"] = array(std::move(batch.start_ns));
    out["duration_ns"] = array(std::move(batch.duration_ns));
    out["gap_ns"] = array(std::move(batch.gap_ns));
    out["call"] = array(std::move(batch.call));
    out["entry"] = array(std::move(batch.entry));
    out["class"] = array(std::move(batch.call_class));
    out["cpu_ns"] = optional_array(std::move(batch.cpu_ns));
    out["request"] = optional_array(std::move(batch.request));
    out["mode"] = optional_array(std::move(batch.mode));
    for (std::size_t field = 0; field < convert::number_count; ++field) {
        const std::string_view name = convert::column_name(static_cast<convert::Field>(field));
        out[to_python(name)] = optional_array(std::move(batch.fields[field]));
    }
    out["requests"] = lists(std::move(batch.requests));
    out["matched_peers"] = lists(std::move(batch.matched_peers));
    out["matched_tags"] = lists(std::move(batch.matched_tags));
    out["send_counts"] = lists(std::move(batch.send_counts));
    out["recv_counts"] = lists(std::move(batch.recv_counts));
    out["members"] = lists(std::move(batch.members));
    out["remote_members"] = lists(std::move(batch.remote_members));
    out["sources"] = lists(std::move(batch.sources));
    out["destinations"] = lists(std::move(batch.destinations));
    out["partition_list"] = lists(std::move(batch.partition_list));
    return out;
}

std::vector<std::string> class_names() {
    std::vector<std::string> names;
    for (std::size_t number = 0; number <= static_cast<std::size_t>(tracefile::last_class); ++number)
        names.emplace_back(tracefile::class_name(static_cast<tracefile::CallClass>(number)));
    return names;
}

std::vector<std::string> call_fields() {
    std::vector<std::string> names;
    for (std::size_t field = 0; field < convert::number_count; ++field)
        names.emplace_back(convert::column_name(static_cast<convert::Field>(field)));
    return names;
}

}  // namespace

void register_convert(nb::module_& module) {
    add_exception<convert::ConvertError>(module, "ConvertError", PyExc_ValueError);
    module.def("write_ti", &write_ti, nb::arg("trace"), nb::arg("folder"), nb::arg("flops_per_second"),
               nb::arg("whole"), nb::arg("collectives_as_messages"), nb::arg("library"));
    module.def("write_paje", &write_timeline<convert::write_paje>, nb::arg("trace"), nb::arg("path"),
               nb::arg("hosts"));
    module.def("write_perfetto", &write_timeline<convert::write_perfetto>, nb::arg("trace"), nb::arg("path"),
               nb::arg("hosts"));
    module.def("message_columns", &message_columns, nb::arg("trace"));
    module.def("read_ti", &read_ti, nb::arg("paths"), nb::arg("flops_per_second"), nb::arg("output"),
               nb::arg("metadata_json"));
    module.def("class_names", &class_names);
    module.def("call_fields", &call_fields);
    nb::class_<convert::EventColumns>(module, "EventColumns")
        .def(
            "__init__",
            [](convert::EventColumns* self, const tracefile::Trace& trace, std::uint32_t rank) {
                if (rank >= trace.ranks()) throw nb::index_error("there is no such rank");
                new (self) convert::EventColumns(trace.cursor(rank));
            },
            nb::arg("trace"), nb::arg("rank"))
        .def("next", &next_batch, nb::arg("most_rows"),
             nb::arg("enough_values") = convert::EventColumns::usual_values);
}

}  // namespace linkworth::bindings
