// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/call_fields.hpp"

#include <array>

namespace linkworth::convert {
namespace {

using tracefile::CallClass;
using tracefile::Shape;

constexpr std::array<std::string_view, field_count> names = {
    "comm",       "peer",         "tag",         "bytes",      "source",          "recv_tag",
    "recv_bytes", "matched_peer", "matched_tag", "root",       "element_bytes",   "new_comm",
    "found",      "listed",       "completed",   "code",       "window",          "new_window",
    "target",     "operation",    "sync",        "partitions", "first_partition", "last_partition",
};

constexpr std::array outgoing = {Field::comm, Field::peer, Field::tag, Field::bytes};
constexpr std::array incoming = {Field::comm,  Field::peer,         Field::tag,
                                 Field::bytes, Field::matched_peer, Field::matched_tag};
constexpr std::array both_ways = {Field::comm,       Field::peer,         Field::tag,
                                  Field::bytes,      Field::source,       Field::recv_tag,
                                  Field::recv_bytes, Field::matched_peer, Field::matched_tag};
constexpr std::array both_begun = {Field::comm,   Field::peer,     Field::tag,       Field::bytes,
                                   Field::source, Field::recv_tag, Field::recv_bytes};
constexpr std::array partitioned = {Field::comm, Field::peer, Field::tag, Field::bytes, Field::partitions};
constexpr std::array partition_run = {Field::first_partition, Field::last_partition};
constexpr std::array partition_test = {Field::first_partition, Field::found};
constexpr std::array exposing = {Field::comm, Field::new_window, Field::bytes};
constexpr std::array of_window = {Field::window};
constexpr std::array one_sided = {Field::operation, Field::window, Field::target, Field::bytes,
                                  Field::recv_bytes};
constexpr std::array synchronising = {Field::sync, Field::window, Field::target, Field::found};
constexpr std::array completion = {Field::listed, Field::completed};
constexpr std::array probing = {Field::comm,  Field::peer,         Field::tag,
                                Field::found, Field::matched_peer, Field::matched_tag};
constexpr std::array together = {Field::comm, Field::root, Field::bytes, Field::recv_bytes,
                                 Field::element_bytes};
constexpr std::array making = {Field::comm, Field::new_comm};
constexpr std::array freeing = {Field::comm};
constexpr std::array coded = {Field::code};

/// Returns whether the call used a wildcard and found a message. The match is then more precise than the
/// arguments.
bool matched(const Shape& shape) {
    switch (shape.call_class) {
        case CallClass::recv:
            return shape.peer == tracefile::any_source || shape.tag == tracefile::any_tag;
        case CallClass::sendrecv:
            return shape.recv_peer == tracefile::any_source || shape.recv_tag == tracefile::any_tag;
        case CallClass::probe:
            return shape.found;
        default:
            return false;
    }
}

std::optional<std::int64_t> where(bool present, std::int64_t value) {
    return present ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string_view field_name(Field field) { return names[static_cast<std::size_t>(field)]; }

std::span<const Field> fields_of(CallClass call_class) {
    switch (call_class) {
        case CallClass::send:
        case CallClass::isend:
        case CallClass::send_init:
        case CallClass::irecv:
        case CallClass::recv_init:
            return outgoing;
        case CallClass::recv:
            return incoming;
        case CallClass::sendrecv:
            return both_ways;
        case CallClass::isendrecv:
            return both_begun;
        case CallClass::psend_init:
        case CallClass::precv_init:
            return partitioned;
        case CallClass::pready:
            return partition_run;
        case CallClass::parrived:
            return partition_test;
        case CallClass::win_new:
            return exposing;
        case CallClass::win_free:
            return of_window;
        case CallClass::rma:
        case CallClass::irma:
            return one_sided;
        case CallClass::win_sync:
            return synchronising;
        case CallClass::complete:
            return completion;
        case CallClass::probe:
            return probing;
        case CallClass::collective:
        case CallClass::icollective:
        case CallClass::collective_init:
            return together;
        case CallClass::comm_new:
        case CallClass::icomm_new:
            return making;
        case CallClass::comm_free:
            return freeing;
        case CallClass::init:
        case CallClass::abort:
        case CallClass::pcontrol:
            return coded;
        case CallClass::local:
        case CallClass::start:
        case CallClass::request_free:
        case CallClass::request_cancel:
        case CallClass::finalize:
        case CallClass::pready_list:
            return {};
    }
    return {};
}

std::optional<std::int64_t> value_of(Field field, const Shape& shape) {
    switch (field) {
        case Field::comm:
            return shape.comm;
        case Field::peer:
            return shape.peer;
        case Field::tag:
            return shape.tag;
        case Field::bytes:
            return static_cast<std::int64_t>(shape.bytes);
        case Field::source:
            return shape.recv_peer;
        case Field::recv_tag:
            return shape.recv_tag;
        case Field::recv_bytes:
            return static_cast<std::int64_t>(shape.recv_bytes);
        case Field::matched_peer:
            return where(matched(shape), shape.actual_peer);
        case Field::matched_tag:
            return where(matched(shape), shape.actual_tag);
        case Field::root:
            return where(shape.peer != -1, shape.peer);
        case Field::element_bytes:
            return shape.element_bytes;
        case Field::new_comm:
            return where(shape.new_comm >= 0, shape.new_comm);
        case Field::found:
            return shape.found ? 1 : 0;
        case Field::listed:
            return shape.listed;
        case Field::completed:
            return static_cast<std::int64_t>(shape.completions.size());
        case Field::code:
            return shape.code;
        case Field::window:
            return shape.window;
        case Field::new_window:
            return where(shape.new_window >= 0, shape.new_window);
        case Field::target:
            return shape.peer;
        case Field::operation:
            return static_cast<std::int64_t>(shape.operation);
        case Field::sync:
            return static_cast<std::int64_t>(shape.sync);
        case Field::partitions:
            return shape.partitions;
        case Field::first_partition:
            return shape.first_partition;
        case Field::last_partition:
            return shape.last_partition;
    }
    return std::nullopt;
}

}  // namespace linkworth::convert
