// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/fields.hpp"
#include "bindings/text.hpp"
#include "replay/iterations.hpp"
#include "replay/replay.hpp"
#include "trace/trace.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_replay(nb::module_& module);

namespace {

using replay::LinkLoad;
using replay::Recording;
using replay::ReplayRequest;
using replay::ReplayResult;

/// Busy seconds of each rank's computation, in stretches of time that are the same for all.
struct CoreLoads {
    double width_seconds = 0;
    std::vector<std::vector<double>> busy;
};

CoreLoads core_loads(const Recording& recording) {
    CoreLoads loads;
    for (const auto& rank : recording.computation)
        loads.width_seconds = std::max(loads.width_seconds, rank.width_seconds());
    for (auto rank : recording.computation) {
        rank.widen_to(loads.width_seconds);
        loads.busy.push_back(rank.busy());
    }
    return loads;
}

using Call = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, double, double>;
using Message = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, double, double>;

std::vector<Call> calls(const Recording& recording) {
    std::vector<Call> found;
    for (const auto& call : recording.calls)
        found.emplace_back(call.rank, call.thread, call.name, call.start_seconds, call.end_seconds);
    return found;
}

std::vector<Message> messages(const Recording& recording) {
    std::vector<Message> found;
    for (const auto& message : recording.messages)
        found.emplace_back(message.source, message.destination, message.bytes, message.sent_seconds,
                           message.received_seconds);
    return found;
}

std::string kind_of(const LinkLoad& load) {
    static constexpr const char* kinds[] = {"nic_out", "nic_in", "switch_up", "switch_down"};
    return kinds[static_cast<std::size_t>(load.kind)];
}

std::vector<ReplayResult> replay_together(const nb::typed<nb::sequence, nb::object>& programs) {
    std::vector<ReplayRequest> requests;
    std::vector<const tracefile::Trace*> traces;
    for (const nb::handle program : programs) {
        traces.push_back(nb::cast<const tracefile::Trace*>(program[0]));
        read(program[1], requests.emplace_back());
    }
    if (traces.empty()) throw nb::value_error("no program to replay");
    std::vector<replay::Tenant> tenants;
    for (std::size_t i = 0; i < traces.size(); ++i) tenants.push_back({traces[i], &requests[i]});
    const nb::gil_scoped_release released;
    return replay::replay_together(tenants);
}

std::vector<std::string> request_fields() {
    std::vector<std::string> names;
    append_names<ReplayRequest>("", names);
    return names;
}

}  // namespace

void register_replay(nb::module_& module) {
    const auto replay_error = add_exception<replay::ReplayError>(module, "ReplayError", PyExc_ValueError);
    add_exception<replay::ReplayStoppedError>(module, "ReplayStoppedError", replay_error.ptr());
    nb::class_<CoreLoads>(module, "CoreLoads")
        .def_ro("width_seconds", &CoreLoads::width_seconds)
        .def_ro("busy", &CoreLoads::busy);
    nb::class_<LinkLoad>(module, "LinkLoad")
        .def_prop_ro("kind", &kind_of)
        .def_ro("level", &LinkLoad::level)
        .def_ro("place", &LinkLoad::place)
        .def_ro("number", &LinkLoad::number)
        .def_prop_ro("busy_seconds", [](const LinkLoad& load) { return load.history.busy_seconds(); })
        .def_prop_ro("width_seconds", [](const LinkLoad& load) { return load.history.width_seconds(); })
        .def_prop_ro("busy", [](const LinkLoad& load) { return load.history.busy(); });
    nb::class_<Recording>(module, "Recording")
        .def_prop_ro("calls", &calls)
        .def_prop_ro("messages", &messages)
        .def_ro("loads", &Recording::loads)
        .def_ro("activities", &Recording::activities)
        .def_prop_ro("computation", &core_loads)
        .def_ro("cut", &Recording::cut);
    nb::class_<ReplayResult> result(module, "ReplayResult");
    ReplayResult::fields(
        [&](const char* name, auto member, replay::Allowed) { result.def_ro(name, member); });
    module.def("request_fields", &request_fields);
    module.def("replay_together", &replay_together, nb::arg("programs"));
    module.def("longer", &replay::longer, nb::arg("few"), nb::arg("more"), nb::arg("times"));
    module.def("interrupt_replays", &replay::interrupt_replays);
}

}  // namespace linkworth::bindings
