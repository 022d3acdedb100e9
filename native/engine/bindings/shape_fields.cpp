// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "shape_fields.hpp"

#include <nanobind/stl/vector.h>

#include <functional>
#include <map>
#include <string>

#include "bindings/text.hpp"
#include "tracefile/trace.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {
namespace {

using tracefile::CallClass;
using tracefile::Completion;
using tracefile::Shape;

// (reference, was_wildcard, peer, tag)
nb::list completions_to_list(const std::vector<Completion>& completions) {
    nb::list out;
    for (const Completion& completion : completions) {
        out.append(
            nb::make_tuple(completion.reference, completion.was_wildcard, completion.peer, completion.tag));
    }
    return out;
}

void completions_from_list(nb::handle value, Shape& shape) {
    shape.completions.clear();
    for (const nb::handle item : nb::iter(value)) {
        Completion completion;
        completion.reference = nb::cast<std::uint64_t>(item[0]);
        completion.was_wildcard = nb::cast<bool>(item[1]);
        completion.peer = nb::cast<std::int32_t>(item[2]);
        completion.tag = nb::cast<std::int32_t>(item[3]);
        shape.completions.push_back(completion);
    }
}

using Setter = std::function<void(nb::handle, Shape&)>;

template <class T>
Setter member(T Shape::* field) {
    return [field](nb::handle value, Shape& shape) { shape.*field = nb::cast<T>(value); };
}

template <class Enum>
Setter number_of(Enum Shape::* field) {
    return [field](nb::handle value, Shape& shape) {
        shape.*field = static_cast<Enum>(nb::cast<std::uint8_t>(value));
    };
}

const std::map<std::string, Setter>& setters() {
    static const std::map<std::string, Setter> table = {
        {"comm", member(&Shape::comm)},
        {"peer", member(&Shape::peer)},
        {"tag", member(&Shape::tag)},
        {"recv_peer", member(&Shape::recv_peer)},
        {"recv_tag", member(&Shape::recv_tag)},
        {"actual_peer", member(&Shape::actual_peer)},
        {"actual_tag", member(&Shape::actual_tag)},
        {"new_comm", member(&Shape::new_comm)},
        {"code", member(&Shape::code)},
        {"listed", member(&Shape::listed)},
        {"bytes", member(&Shape::bytes)},
        {"recv_bytes", member(&Shape::recv_bytes)},
        {"element_bytes", member(&Shape::element_bytes)},
        {"found", member(&Shape::found)},
        {"inter", member(&Shape::inter)},
        {"send_counts", member(&Shape::send_counts)},
        {"recv_counts", member(&Shape::recv_counts)},
        {"references", member(&Shape::references)},
        {"members", member(&Shape::members)},
        {"remote_members", member(&Shape::remote_members)},
        {"window", member(&Shape::window)},
        {"new_window", member(&Shape::new_window)},
        {"partitions", member(&Shape::partitions)},
        {"first_partition", member(&Shape::first_partition)},
        {"last_partition", member(&Shape::last_partition)},
        {"partition_list", member(&Shape::partition_list)},
        {"has_topology", member(&Shape::has_topology)},
        {"sources", member(&Shape::sources)},
        {"destinations", member(&Shape::destinations)},
        {"operation", number_of(&Shape::operation)},
        {"sync", number_of(&Shape::sync)},
        {"mode", number_of(&Shape::mode)},
        {"completions", completions_from_list},
    };
    return table;
}

void put_point(nb::dict& out, const Shape& shape) {
    out["comm"] = shape.comm;
    out["peer"] = shape.peer;
    out["tag"] = shape.tag;
    out["bytes"] = shape.bytes;
}

void put_actual(nb::dict& out, const Shape& shape) {
    out["actual_peer"] = shape.actual_peer;
    out["actual_tag"] = shape.actual_tag;
}

}  // namespace

nb::dict shape_to_dict(const Shape& shape) {
    nb::dict out;
    switch (shape.call_class) {
        case CallClass::local:
        case CallClass::finalize:
            break;
        case CallClass::sendrecv:
            put_actual(out, shape);
            [[fallthrough]];
        case CallClass::isendrecv:
            out["recv_peer"] = shape.recv_peer;
            out["recv_tag"] = shape.recv_tag;
            out["recv_bytes"] = shape.recv_bytes;
            put_point(out, shape);
            break;
        case CallClass::recv:
            put_actual(out, shape);
            [[fallthrough]];
        case CallClass::send:
        case CallClass::isend:
        case CallClass::irecv:
        case CallClass::send_init:
        case CallClass::recv_init:
            put_point(out, shape);
            break;
        case CallClass::psend_init:
        case CallClass::precv_init:
            put_point(out, shape);
            out["partitions"] = shape.partitions;
            break;
        case CallClass::pready:
            out["references"] = shape.references;
            out["first_partition"] = shape.first_partition;
            out["last_partition"] = shape.last_partition;
            break;
        case CallClass::pready_list:
            out["references"] = shape.references;
            out["partition_list"] = shape.partition_list;
            break;
        case CallClass::parrived:
            out["references"] = shape.references;
            out["first_partition"] = shape.first_partition;
            out["found"] = shape.found;
            break;
        case CallClass::win_new:
            out["comm"] = shape.comm;
            out["new_window"] = shape.new_window;
            out["bytes"] = shape.bytes;
            break;
        case CallClass::win_free:
            out["window"] = shape.window;
            break;
        case CallClass::rma:
        case CallClass::irma:
            out["operation"] = static_cast<std::uint8_t>(shape.operation);
            out["window"] = shape.window;
            out["peer"] = shape.peer;
            out["bytes"] = shape.bytes;
            out["recv_bytes"] = shape.recv_bytes;
            break;
        case CallClass::win_sync:
            out["sync"] = static_cast<std::uint8_t>(shape.sync);
            out["window"] = shape.window;
            out["peer"] = shape.peer;
            out["found"] = shape.found;
            out["members"] = shape.members;
            break;
        case CallClass::start:
        case CallClass::request_free:
        case CallClass::request_cancel:
            out["references"] = shape.references;
            break;
        case CallClass::complete:
            out["mode"] = static_cast<std::uint8_t>(shape.mode);
            out["listed"] = shape.listed;
            out["completions"] = completions_to_list(shape.completions);
            break;
        case CallClass::probe:
            out["comm"] = shape.comm;
            out["peer"] = shape.peer;
            out["tag"] = shape.tag;
            out["found"] = shape.found;
            out["actual_peer"] = shape.actual_peer;
            out["actual_tag"] = shape.actual_tag;
            break;
        case CallClass::collective:
        case CallClass::icollective:
        case CallClass::collective_init:
            out["comm"] = shape.comm;
            out["peer"] = shape.peer;
            out["bytes"] = shape.bytes;
            out["recv_bytes"] = shape.recv_bytes;
            out["element_bytes"] = shape.element_bytes;
            out["send_counts"] = shape.send_counts;
            out["recv_counts"] = shape.recv_counts;
            break;
        case CallClass::comm_new:
        case CallClass::icomm_new:
            out["comm"] = shape.comm;
            out["new_comm"] = shape.new_comm;
            out["inter"] = shape.inter;
            out["members"] = shape.members;
            out["remote_members"] = shape.remote_members;
            out["has_topology"] = shape.has_topology;
            out["sources"] = shape.sources;
            out["destinations"] = shape.destinations;
            break;
        case CallClass::comm_free:
            out["comm"] = shape.comm;
            break;
        case CallClass::init:
        case CallClass::abort:
        case CallClass::pcontrol:
            out["code"] = shape.code;
            break;
    }
    return out;
}

void shape_from_dict(const nb::dict& fields, Shape& shape) {
    for (const auto [key, value] : fields) {
        const auto name = nb::cast<std::string>(key);
        const auto setter = setters().find(name);
        if (setter == setters().end()) {
            throw tracefile::TraceError("a call has no field " + name);
        }
        try {
            setter->second(value, shape);
        } catch (const nb::cast_error&) {
            throw tracefile::TraceError("field " + name + " of a call has a value of the wrong kind or size");
        }
    }
}

}  // namespace linkworth::bindings
