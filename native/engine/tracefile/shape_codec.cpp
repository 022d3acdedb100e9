// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "tracefile/shape_codec.hpp"

#include <utility>

#include "tracefile/varint.hpp"

namespace linkworth::tracefile {
namespace {

constexpr auto last_class = static_cast<std::uint8_t>(CallClass::isendrecv);
constexpr auto last_operation = static_cast<std::uint8_t>(RmaOperation::fetch);
constexpr auto last_sync = static_cast<std::uint8_t>(WindowSync::sync);
constexpr auto last_mode = static_cast<std::uint8_t>(CompleteMode::testsome);

void reset(Shape& shape) {
    // Moved out and in again so that the vectors keep their memory from shape to shape.
    Shape fresh;
    fresh.send_counts = std::move(shape.send_counts);
    fresh.recv_counts = std::move(shape.recv_counts);
    fresh.references = std::move(shape.references);
    fresh.completions = std::move(shape.completions);
    fresh.members = std::move(shape.members);
    fresh.remote_members = std::move(shape.remote_members);
    fresh.partition_list = std::move(shape.partition_list);
    fresh.sources = std::move(shape.sources);
    fresh.destinations = std::move(shape.destinations);
    fresh.send_counts.clear();
    fresh.recv_counts.clear();
    fresh.references.clear();
    fresh.completions.clear();
    fresh.members.clear();
    fresh.remote_members.clear();
    fresh.partition_list.clear();
    fresh.sources.clear();
    fresh.destinations.clear();
    shape = std::move(fresh);
}

bool is_wildcard(std::int32_t peer, std::int32_t tag) { return peer == any_source || tag == any_tag; }

void decode_point(ByteReader& in, Shape& shape) {
    shape.comm = in.natural32();
    shape.peer = in.svarint32();
    shape.tag = in.svarint32();
    shape.bytes = in.varint();
}

void decode_actual(ByteReader& in, Shape& shape) {
    shape.actual_peer = in.svarint32();
    shape.actual_tag = in.svarint32();
}

void decode_list(ByteReader& in, std::vector<std::uint64_t>& list) {
    for (std::size_t left = in.count(); left > 0; --left) {
        list.push_back(in.varint());
    }
}

void decode_completions(ByteReader& in, Shape& shape) {
    const std::uint8_t mode = in.byte();
    if (mode > last_mode) {
        in.fail();
        return;
    }
    shape.mode = static_cast<CompleteMode>(mode);
    shape.listed = in.varint32();
    for (std::size_t left = in.count(); left > 0; --left) {
        Completion completion;
        const std::uint64_t coded = in.varint();
        completion.reference = coded >> 1;
        completion.was_wildcard = (coded & 1) != 0;
        if (completion.was_wildcard) {
            completion.peer = in.svarint32();
            completion.tag = in.svarint32();
        }
        shape.completions.push_back(completion);
    }
}

void decode_collective(ByteReader& in, Shape& shape) {
    shape.comm = in.natural32();
    shape.peer = in.svarint32();
    shape.bytes = in.varint();
    shape.recv_bytes = in.varint();
    shape.element_bytes = in.varint32();
    decode_list(in, shape.send_counts);
    decode_list(in, shape.recv_counts);
}

void decode_members(ByteReader& in, std::vector<std::int32_t>& members) {
    std::int64_t rank = 0;
    for (std::size_t left = in.count(); left > 0; --left) {
        rank += in.svarint32();
        if (rank < 0 || rank > INT32_MAX) {
            in.fail();
            return;
        }
        members.push_back(static_cast<std::int32_t>(rank));
    }
}

void decode_comm_new(ByteReader& in, Shape& shape) {
    shape.comm = in.natural32();
    shape.new_comm = in.natural32() - 1;
    const std::uint8_t kind = in.byte();
    if (kind > 1) {
        in.fail();
        return;
    }
    shape.inter = kind == 1;
    decode_members(in, shape.members);
    if (shape.inter) {
        decode_members(in, shape.remote_members);
    }
}

void decode_ranks(ByteReader& in, std::vector<std::int32_t>& ranks) {
    for (std::size_t left = in.count(); left > 0; --left) {
        ranks.push_back(in.svarint32());
    }
}

void decode_topology(ByteReader& in, Shape& shape) {
    shape.has_topology = in.ok() && !in.at_end();
    if (shape.has_topology) {
        decode_ranks(in, shape.sources);
        decode_ranks(in, shape.destinations);
    }
}

void decode_pair(ByteReader& in, Shape& shape) {
    decode_point(in, shape);
    shape.recv_peer = in.svarint32();
    shape.recv_tag = in.svarint32();
    shape.recv_bytes = in.varint();
}

void decode_rma(ByteReader& in, Shape& shape) {
    const std::uint8_t operation = in.byte();
    if (operation > last_operation) {
        in.fail();
        return;
    }
    shape.operation = static_cast<RmaOperation>(operation);
    shape.window = in.natural32();
    shape.peer = in.svarint32();
    shape.bytes = in.varint();
    shape.recv_bytes = in.varint();
}

void decode_win_sync(ByteReader& in, Shape& shape) {
    const std::uint8_t sync = in.byte();
    if (sync > last_sync) {
        in.fail();
        return;
    }
    shape.sync = static_cast<WindowSync>(sync);
    shape.window = in.natural32();
    shape.peer = in.svarint32();
    shape.found = in.byte() != 0;
    decode_ranks(in, shape.members);
}

void decode_fields(ByteReader& in, Shape& shape) {
    switch (shape.call_class) {
        case CallClass::local:
        case CallClass::finalize:
            break;
        case CallClass::send:
        case CallClass::isend:
        case CallClass::irecv:
        case CallClass::send_init:
        case CallClass::recv_init:
            decode_point(in, shape);
            break;
        case CallClass::recv:
            decode_point(in, shape);
            if (is_wildcard(shape.peer, shape.tag)) {
                decode_actual(in, shape);
            }
            break;
        case CallClass::sendrecv:
            decode_pair(in, shape);
            if (is_wildcard(shape.recv_peer, shape.recv_tag)) {
                decode_actual(in, shape);
            }
            break;
        case CallClass::start:
            decode_list(in, shape.references);
            break;
        case CallClass::request_free:
        case CallClass::request_cancel:
            shape.references.push_back(in.varint());
            break;
        case CallClass::complete:
            decode_completions(in, shape);
            break;
        case CallClass::probe:
            shape.comm = in.natural32();
            shape.peer = in.svarint32();
            shape.tag = in.svarint32();
            shape.found = in.byte() != 0;
            if (shape.found) {
                decode_actual(in, shape);
            }
            break;
        case CallClass::collective:
        case CallClass::icollective:
        case CallClass::collective_init:
            decode_collective(in, shape);
            break;
        case CallClass::comm_new:
        case CallClass::icomm_new:
            decode_comm_new(in, shape);
            decode_topology(in, shape);
            break;
        case CallClass::comm_free:
            shape.comm = in.natural32();
            break;
        case CallClass::init:
            shape.code = in.natural32();
            break;
        case CallClass::abort:
        case CallClass::pcontrol:
            shape.code = in.svarint32();
            break;
        case CallClass::win_new:
            shape.comm = in.natural32();
            shape.new_window = in.natural32() - 1;
            shape.bytes = in.varint();
            break;
        case CallClass::win_free:
            shape.window = in.natural32();
            break;
        case CallClass::rma:
        case CallClass::irma:
            decode_rma(in, shape);
            break;
        case CallClass::win_sync:
            decode_win_sync(in, shape);
            break;
        case CallClass::psend_init:
        case CallClass::precv_init:
            decode_point(in, shape);
            shape.partitions = in.varint32();
            break;
        case CallClass::pready:
            shape.references.push_back(in.varint());
            shape.first_partition = in.varint32();
            shape.last_partition = in.varint32();
            break;
        case CallClass::pready_list:
            shape.references.push_back(in.varint());
            for (std::size_t left = in.count(); left > 0; --left) {
                shape.partition_list.push_back(in.varint32());
            }
            break;
        case CallClass::parrived:
            shape.references.push_back(in.varint());
            shape.first_partition = shape.last_partition = in.varint32();
            shape.found = in.byte() != 0;
            break;
        case CallClass::isendrecv:
            decode_pair(in, shape);
            break;
    }
}

void encode_point(const Shape& shape, std::vector<std::uint8_t>& out) {
    append_varint(out, static_cast<std::uint64_t>(shape.comm));
    append_svarint(out, shape.peer);
    append_svarint(out, shape.tag);
    append_varint(out, shape.bytes);
}

void encode_actual(const Shape& shape, std::vector<std::uint8_t>& out) {
    append_svarint(out, shape.actual_peer);
    append_svarint(out, shape.actual_tag);
}

void encode_list(const std::vector<std::uint64_t>& list, std::vector<std::uint8_t>& out) {
    append_varint(out, list.size());
    for (const std::uint64_t value : list) {
        append_varint(out, value);
    }
}

void encode_members(const std::vector<std::int32_t>& members, std::vector<std::uint8_t>& out) {
    append_varint(out, members.size());
    std::int64_t before = 0;
    for (const std::int32_t member : members) {
        append_svarint(out, member - before);
        before = member;
    }
}

void encode_ranks(const std::vector<std::int32_t>& ranks, std::vector<std::uint8_t>& out) {
    append_varint(out, ranks.size());
    for (const std::int32_t rank : ranks) {
        append_svarint(out, rank);
    }
}

void encode_pair(const Shape& shape, std::vector<std::uint8_t>& out) {
    encode_point(shape, out);
    append_svarint(out, shape.recv_peer);
    append_svarint(out, shape.recv_tag);
    append_varint(out, shape.recv_bytes);
}

void encode_reference(const Shape& shape, std::vector<std::uint8_t>& out) {
    append_varint(out, shape.references.empty() ? 0 : shape.references.front());
}

void encode_completions(const Shape& shape, std::vector<std::uint8_t>& out) {
    out.push_back(static_cast<std::uint8_t>(shape.mode));
    append_varint(out, shape.listed);
    append_varint(out, shape.completions.size());
    for (const Completion& completion : shape.completions) {
        append_varint(out, 2 * completion.reference + (completion.was_wildcard ? 1 : 0));
        if (completion.was_wildcard) {
            append_svarint(out, completion.peer);
            append_svarint(out, completion.tag);
        }
    }
}

}  // namespace

bool decode_shape(std::span<const std::uint8_t> payload, Shape& shape) {
    reset(shape);
    ByteReader in(payload.data(), payload.data() + payload.size());
    shape.name = in.varint32();
    const std::uint8_t class_byte = in.byte();
    if (!in.ok() || class_byte > last_class) {
        return false;
    }
    shape.call_class = static_cast<CallClass>(class_byte);
    decode_fields(in, shape);
    return in.ok() && in.at_end();
}

void encode_shape(const Shape& shape, std::vector<std::uint8_t>& out) {
    append_varint(out, shape.name);
    out.push_back(static_cast<std::uint8_t>(shape.call_class));
    switch (shape.call_class) {
        case CallClass::local:
        case CallClass::finalize:
            break;
        case CallClass::send:
        case CallClass::isend:
        case CallClass::irecv:
        case CallClass::send_init:
        case CallClass::recv_init:
            encode_point(shape, out);
            break;
        case CallClass::recv:
            encode_point(shape, out);
            if (is_wildcard(shape.peer, shape.tag)) {
                encode_actual(shape, out);
            }
            break;
        case CallClass::sendrecv:
            encode_pair(shape, out);
            if (is_wildcard(shape.recv_peer, shape.recv_tag)) {
                encode_actual(shape, out);
            }
            break;
        case CallClass::start:
            encode_list(shape.references, out);
            break;
        case CallClass::request_free:
        case CallClass::request_cancel:
            encode_reference(shape, out);
            break;
        case CallClass::complete:
            encode_completions(shape, out);
            break;
        case CallClass::probe:
            append_varint(out, static_cast<std::uint64_t>(shape.comm));
            append_svarint(out, shape.peer);
            append_svarint(out, shape.tag);
            out.push_back(shape.found ? 1 : 0);
            if (shape.found) {
                encode_actual(shape, out);
            }
            break;
        case CallClass::collective:
        case CallClass::icollective:
        case CallClass::collective_init:
            append_varint(out, static_cast<std::uint64_t>(shape.comm));
            append_svarint(out, shape.peer);
            append_varint(out, shape.bytes);
            append_varint(out, shape.recv_bytes);
            append_varint(out, shape.element_bytes);
            encode_list(shape.send_counts, out);
            encode_list(shape.recv_counts, out);
            break;
        case CallClass::comm_new:
        case CallClass::icomm_new:
            append_varint(out, static_cast<std::uint64_t>(shape.comm));
            append_varint(out, static_cast<std::uint64_t>(shape.new_comm + 1));
            out.push_back(shape.inter ? 1 : 0);
            encode_members(shape.members, out);
            if (shape.inter) {
                encode_members(shape.remote_members, out);
            }
            if (shape.has_topology) {
                encode_ranks(shape.sources, out);
                encode_ranks(shape.destinations, out);
            }
            break;
        case CallClass::comm_free:
            append_varint(out, static_cast<std::uint64_t>(shape.comm));
            break;
        case CallClass::init:
            append_varint(out, static_cast<std::uint64_t>(shape.code));
            break;
        case CallClass::abort:
        case CallClass::pcontrol:
            append_svarint(out, shape.code);
            break;
        case CallClass::win_new:
            append_varint(out, static_cast<std::uint64_t>(shape.comm));
            append_varint(out, static_cast<std::uint64_t>(shape.new_window + 1));
            append_varint(out, shape.bytes);
            break;
        case CallClass::win_free:
            append_varint(out, static_cast<std::uint64_t>(shape.window));
            break;
        case CallClass::rma:
        case CallClass::irma:
            out.push_back(static_cast<std::uint8_t>(shape.operation));
            append_varint(out, static_cast<std::uint64_t>(shape.window));
            append_svarint(out, shape.peer);
            append_varint(out, shape.bytes);
            append_varint(out, shape.recv_bytes);
            break;
        case CallClass::win_sync:
            out.push_back(static_cast<std::uint8_t>(shape.sync));
            append_varint(out, static_cast<std::uint64_t>(shape.window));
            append_svarint(out, shape.peer);
            out.push_back(shape.found ? 1 : 0);
            encode_ranks(shape.members, out);
            break;
        case CallClass::psend_init:
        case CallClass::precv_init:
            encode_point(shape, out);
            append_varint(out, shape.partitions);
            break;
        case CallClass::pready:
            encode_reference(shape, out);
            append_varint(out, shape.first_partition);
            append_varint(out, shape.last_partition);
            break;
        case CallClass::pready_list:
            encode_reference(shape, out);
            append_varint(out, shape.partition_list.size());
            for (const std::uint32_t partition : shape.partition_list) {
                append_varint(out, partition);
            }
            break;
        case CallClass::parrived:
            encode_reference(shape, out);
            append_varint(out, shape.first_partition);
            out.push_back(shape.found ? 1 : 0);
            break;
        case CallClass::isendrecv:
            encode_pair(shape, out);
            break;
    }
}

}  // namespace linkworth::tracefile
