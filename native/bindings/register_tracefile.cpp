// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>

#include "bindings/text.hpp"
#include "calls/names.hpp"
#include "shape_fields.hpp"
#include "trace/crc32c.hpp"
#include "trace/trace.hpp"
#include "trace/writer.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_tracefile(nb::module_& module);

namespace {

using tracefile::Event;
using tracefile::Trace;
using tracefile::TraceError;
using tracefile::TraceWriter;

class EventIterator {
  public:
    EventIterator(const Trace& trace, std::uint32_t rank)
        : names_(trace.names()), cursor_(trace.cursor(rank)) {}

    nb::dict next() {
        Event event;
        if (!cursor_.next(event)) throw nb::stop_iteration();
        nb::dict out;
        out["name"] = names_.at(event.shape->name);
        out["call_class"] = std::string(tracefile::class_name(event.shape->call_class));
        out["fields"] = shape_to_dict(*event.shape);
        out["gap_seconds"] = event.gap_seconds;
        out["cpu_seconds"] = event.cpu_seconds;
        out["duration_seconds"] = event.duration_seconds;
        out["overlap_seconds"] = event.overlap_seconds;
        out["thread"] = event.thread;
        out["next_request"] = event.next_request;
        return out;
    }

  private:
    std::vector<std::string> names_;
    tracefile::RankCursor cursor_;
};

nb::list damage_list(const std::vector<tracefile::Damage>& damage) {
    nb::list out;
    for (const tracefile::Damage& item : damage)
        out.append(nb::make_tuple(item.rank, item.offset, item.what));
    return out;
}

// Decodes every event: how many there are, the ranks' seconds, and the damage that only decoding shows.
nb::tuple check_events(const Trace& trace) {
    std::uint64_t events = 0;
    double seconds = 0;
    std::vector<tracefile::Damage> damage;
    {
        const nb::gil_scoped_release released;
        for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
            tracefile::RankCursor cursor = trace.cursor(rank);
            Event event;
            while (cursor.next(event)) {
                ++events;
                seconds += event.gap_seconds + event.duration_seconds;
            }
            damage.insert(damage.end(), cursor.damage().begin(), cursor.damage().end());
        }
    }
    return nb::make_tuple(events, seconds, damage_list(damage));
}

void write_event(TraceWriter& writer, std::uint32_t rank, const std::string& name,
                 const std::string& call_class, const nb::dict& fields, double gap_seconds,
                 double cpu_seconds, double duration_seconds) {
    tracefile::Shape shape;
    if (!tracefile::class_by_name(call_class, shape.call_class))
        throw TraceError("there is no call class " + call_class);
    shape.name = writer.name(name);
    shape_from_dict(fields, shape);
    writer.event(rank, shape, gap_seconds, cpu_seconds, duration_seconds);
}

}  // namespace

void register_tracefile(nb::module_& module) {
    const auto trace_error = add_exception<TraceError>(module, "TraceError", PyExc_ValueError);
    add_exception<tracefile::WriteError>(module, "TraceWriteError", trace_error.ptr());
    // Wherever it is met, the command line reports it and ends with the exit code for incomplete input.
    const nb::object incomplete = nb::module_::import_("linkworth.errors").attr("DamagedInputError");
    add_exception<tracefile::DamagedError>(module, "TraceDamagedError", incomplete.ptr());

    nb::class_<EventIterator>(module, "EventIterator")
        .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
        .def("__next__", &EventIterator::next);

    nb::class_<Trace>(module, "Trace")
        .def(nb::new_([](const std::string& path, bool refuse_damage) {
                 const nb::gil_scoped_release released;
                 return std::const_pointer_cast<Trace>(Trace::open(path, refuse_damage));
             }),
             nb::arg("path"), nb::arg("refuse_damage") = false)
        .def_prop_ro("ranks", &Trace::ranks)
        .def_prop_ro("events", &Trace::events)
        .def_prop_ro("file_bytes", &Trace::file_bytes)
        .def_prop_ro("raw_bytes", &Trace::raw_bytes)
        .def_prop_ro("metadata_json", &Trace::metadata_json)
        .def_prop_ro("names", &Trace::names)
        .def_prop_ro("entries", &Trace::entries)
        .def_prop_ro("damage", [](const Trace& trace) { return damage_list(trace.damage()); })
        .def_prop_ro("rank_events", &Trace::rank_events)
        .def_prop_ro("lost_events", &Trace::lost_events)
        .def_prop_ro("has_index", &Trace::has_index)
        .def("check", &check_events)
        .def(
            "beginning",
            [](const Trace& trace, std::uint64_t events) {
                return std::const_pointer_cast<Trace>(trace.beginning(events));
            },
            nb::arg("events"))
        .def(
            "iterate", [](const Trace& trace, std::uint32_t rank) { return EventIterator(trace, rank); },
            nb::arg("rank"));

    nb::class_<TraceWriter>(module, "TraceWriter")
        .def(nb::init<const std::string&, std::uint32_t, std::string>(), nb::arg("path"), nb::arg("ranks"),
             nb::arg("metadata_json"))
        .def("event", &write_event, nb::arg("rank"), nb::arg("name"), nb::arg("call_class"),
             nb::arg("fields") = nb::dict(), nb::arg("gap_seconds") = 0.0, nb::arg("cpu_seconds") = -1.0,
             nb::arg("duration_seconds") = 0.0)
        .def("close", [](TraceWriter& writer) {
            const nb::gil_scoped_release released;
            writer.close();
        });

    module.def(
        "crc32c", [](nb::bytes data) { return tracefile::crc32c(0, data.c_str(), data.size()); },
        nb::arg("data"));
}

}  // namespace linkworth::bindings
