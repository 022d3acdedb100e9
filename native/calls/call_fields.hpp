// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The fields of a call, by its class: the only list of them. The codec, the Python bindings and the
/// converters visit it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "calls/event.hpp"

namespace linkworth::tracefile {

enum class Field : std::uint8_t {
    comm,
    peer,
    tag,
    bytes,  ///< sent; capacity of a receive
    source,
    recv_tag,
    recv_bytes,
    matched_peer,  ///< match of a wildcard
    matched_tag,
    root,
    element_bytes,
    new_comm,   ///< -1 for MPI_COMM_NULL
    found,      ///< a probe, MPI_Win_test or MPI_Parrived that returned true; an exclusive lock
    listed,     ///< requests that a wait or test was given
    completed,  ///< those of them that it ended
    code,       ///< thread level, abort code or MPI_Pcontrol's level
    window,
    new_window,  ///< -1 if none was made
    target,      ///< of a one-sided call, -1 for all
    operation,   ///< RmaOperation
    sync,        ///< WindowSync
    partitions,
    first_partition,
    last_partition,
    // Converters do not show these as one number of a call.
    mode,
    inter,
    has_topology,
    send_counts,
    recv_counts,
    references,
    members,
    remote_members,
    sources,
    destinations,
    partition_list,
};
inline constexpr std::size_t field_count = static_cast<std::size_t>(Field::partition_list) + 1;
/// Fields that are a number, which come first.
inline constexpr std::size_t number_count = static_cast<std::size_t>(Field::last_partition) + 1;

struct FieldNames {
    std::string_view member;  ///< in Shape and in Python
    std::string_view column;  ///< in other formats
};
constexpr FieldNames names_of(Field field) {
    constexpr FieldNames names[field_count] = {
        {"comm", "comm"},
        {"peer", "peer"},
        {"tag", "tag"},
        {"bytes", "bytes"},
        {"recv_peer", "source"},
        {"recv_tag", "recv_tag"},
        {"recv_bytes", "recv_bytes"},
        {"actual_peer", "matched_peer"},
        {"actual_tag", "matched_tag"},
        {"peer", "root"},
        {"element_bytes", "element_bytes"},
        {"new_comm", "new_comm"},
        {"found", "found"},
        {"listed", "listed"},
        {"completions", "completed"},
        {"code", "code"},
        {"window", "window"},
        {"new_window", "new_window"},
        {"peer", "target"},
        {"operation", "operation"},
        {"sync", "sync"},
        {"partitions", "partitions"},
        {"first_partition", "first_partition"},
        {"last_partition", "last_partition"},
        {"mode", "mode"},
        {"inter", "inter"},
        {"has_topology", "has_topology"},
        {"send_counts", "send_counts"},
        {"recv_counts", "recv_counts"},
        {"references", "references"},
        {"members", "members"},
        {"remote_members", "remote_members"},
        {"sources", "sources"},
        {"destinations", "destinations"},
        {"partition_list", "partition_list"},
    };
    return names[static_cast<std::size_t>(field)];
}

/// Form of a field in a payload, if its type does not decide it.
enum class Coding : std::uint8_t {
    plain,
    natural,      ///< a number that is not negative
    or_none,      ///< a number, or -1 for none
    single,       ///< a list of one item, without its length
    differences,  ///< a list of ranks, each as the difference from the one before
    rest,         ///< whether anything follows
};

/// Calls `visit(field, member, coding)` for each field of the call's class, in the order of the payload.
/// `visit.where(condition, body)` decides about the fields that `body` visits: a payload has them if the
/// condition holds.
template <class AnyShape, class Visitor>
    requires std::is_same_v<std::remove_const_t<AnyShape>, Shape>
void visit_fields(AnyShape& call, Visitor&& visit) {
    using enum Coding;
    const auto message = [&] {
        visit(Field::comm, call.comm, natural);
        visit(Field::peer, call.peer, plain);
        visit(Field::tag, call.tag, plain);
        visit(Field::bytes, call.bytes, plain);
    };
    const auto pair = [&] {
        message();
        visit(Field::source, call.recv_peer, plain);
        visit(Field::recv_tag, call.recv_tag, plain);
        visit(Field::recv_bytes, call.recv_bytes, plain);
    };
    const auto matched = [&](bool is_known) {
        visit.where(is_known, [&] {
            visit(Field::matched_peer, call.actual_peer, plain);
            visit(Field::matched_tag, call.actual_tag, plain);
        });
    };
    switch (call.call_class) {
        case CallClass::local:
        case CallClass::finalize: break;
        case CallClass::send:
        case CallClass::isend:
        case CallClass::irecv:
        case CallClass::send_init:
        case CallClass::recv_init: message(); break;
        case CallClass::recv:
            message();
            matched(is_wildcard(call.peer, call.tag));
            break;
        case CallClass::sendrecv:
            pair();
            matched(is_wildcard(call.recv_peer, call.recv_tag));
            break;
        case CallClass::isendrecv: pair(); break;
        case CallClass::psend_init:
        case CallClass::precv_init:
            message();
            visit(Field::partitions, call.partitions, plain);
            break;
        case CallClass::start: visit(Field::references, call.references, plain); break;
        case CallClass::request_free:
        case CallClass::request_cancel: visit(Field::references, call.references, single); break;
        case CallClass::pready:
            visit(Field::references, call.references, single);
            visit(Field::first_partition, call.first_partition, plain);
            visit(Field::last_partition, call.last_partition, plain);
            break;
        case CallClass::pready_list:
            visit(Field::references, call.references, single);
            visit(Field::partition_list, call.partition_list, plain);
            break;
        case CallClass::parrived:
            visit(Field::references, call.references, single);
            visit(Field::first_partition, call.first_partition, plain);
            visit(Field::found, call.found, plain);
            break;
        case CallClass::complete:
            visit(Field::mode, call.mode, plain);
            visit(Field::listed, call.listed, plain);
            visit(Field::completed, call.completions, plain);
            break;
        case CallClass::probe:
            visit(Field::comm, call.comm, natural);
            visit(Field::peer, call.peer, plain);
            visit(Field::tag, call.tag, plain);
            visit(Field::found, call.found, plain);
            matched(call.found);
            break;
        case CallClass::collective:
        case CallClass::icollective:
        case CallClass::collective_init:
            visit(Field::comm, call.comm, natural);
            visit(Field::root, call.peer, plain);
            visit(Field::bytes, call.bytes, plain);
            visit(Field::recv_bytes, call.recv_bytes, plain);
            visit(Field::element_bytes, call.element_bytes, plain);
            visit(Field::send_counts, call.send_counts, plain);
            visit(Field::recv_counts, call.recv_counts, plain);
            break;
        case CallClass::comm_new:
        case CallClass::icomm_new:
            visit(Field::comm, call.comm, natural);
            visit(Field::new_comm, call.new_comm, or_none);
            visit(Field::inter, call.inter, plain);
            visit(Field::members, call.members, differences);
            visit.where(call.inter, [&] { visit(Field::remote_members, call.remote_members, differences); });
            visit(Field::has_topology, call.has_topology, rest);
            visit.where(call.has_topology, [&] {
                visit(Field::sources, call.sources, plain);
                visit(Field::destinations, call.destinations, plain);
            });
            break;
        case CallClass::comm_free: visit(Field::comm, call.comm, natural); break;
        case CallClass::init: visit(Field::code, call.code, natural); break;
        case CallClass::abort:
        case CallClass::pcontrol: visit(Field::code, call.code, plain); break;
        case CallClass::win_new:
            visit(Field::comm, call.comm, natural);
            visit(Field::new_window, call.new_window, or_none);
            visit(Field::bytes, call.bytes, plain);
            break;
        case CallClass::win_free: visit(Field::window, call.window, natural); break;
        case CallClass::rma:
        case CallClass::irma:
            visit(Field::operation, call.operation, plain);
            visit(Field::window, call.window, natural);
            visit(Field::target, call.peer, plain);
            visit(Field::bytes, call.bytes, plain);
            visit(Field::recv_bytes, call.recv_bytes, plain);
            break;
        case CallClass::win_sync:
            visit(Field::sync, call.sync, plain);
            visit(Field::window, call.window, natural);
            visit(Field::target, call.peer, plain);
            visit(Field::found, call.found, plain);
            visit(Field::members, call.members, plain);
            break;
    }
}

}  // namespace linkworth::tracefile
