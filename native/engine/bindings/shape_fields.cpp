// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "shape_fields.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <map>
#include <string>

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
        {"completions", completions_from_list},
        {"mode",
         [](nb::handle value, Shape& shape) {
             shape.mode = static_cast<tracefile::CompleteMode>(nb::cast<std::uint8_t>(value));
         }},
    };
    return table;
}

}  // namespace

nb::dict shape_to_dict(const Shape& shape) {
    nb::dict out;
    switch (shape.call_class) {
        case CallClass::local:
        case CallClass::finalize:
            break;
        case CallClass::sendrecv:
            out["recv_peer"] = shape.recv_peer;
            out["recv_tag"] = shape.recv_tag;
            out["recv_bytes"] = shape.recv_bytes;
            [[fallthrough]];
        case CallClass::recv:
            out["actual_peer"] = shape.actual_peer;
            out["actual_tag"] = shape.actual_tag;
            [[fallthrough]];
        case CallClass::send:
        case CallClass::isend:
        case CallClass::irecv:
        case CallClass::send_init:
        case CallClass::recv_init:
            out["comm"] = shape.comm;
            out["peer"] = shape.peer;
            out["tag"] = shape.tag;
            out["bytes"] = shape.bytes;
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
