// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/messages.hpp"

#include <stdexcept>
#include <utility>

#include "convert/convert_error.hpp"

namespace linkworth::convert {

using tracefile::CallClass;
using tracefile::Event;
using tracefile::is_partitioned;
using tracefile::is_wildcard;
using tracefile::Shape;

namespace {

bool receives(CallClass persistent) {
    return persistent == CallClass::recv_init || persistent == CallClass::precv_init;
}

/// Returns the number of partitions. A partitioned call's size is that of one partition, and all of them are
/// one message.
std::uint64_t parts_of(const Shape& shape) { return is_partitioned(shape.call_class) ? shape.partitions : 1; }

}  // namespace

RankMessages::RankMessages(const tracefile::Trace& trace, replay::Communicators& communicators,
                           std::uint32_t rank)
    : rank_(rank), communicators_(communicators), wildcards_(trace, rank), withdrawn_(trace, rank) {}

void RankMessages::take(const Event& event) {
    const Shape& shape = *event.shape;
    sent_.clear();
    received_.clear();
    switch (shape.call_class) {
        case CallClass::send:
        case CallClass::isend:
            if (const auto message = outgoing(shape)) sent_.push_back(*message);
            break;
        case CallClass::recv:
            if (const auto message = incoming_now(shape, shape.peer, shape.tag, shape.bytes))
                received_.push_back(*message);
            break;
        case CallClass::sendrecv:
            if (const auto message = outgoing(shape)) sent_.push_back(*message);
            if (const auto message = incoming_now(shape, shape.recv_peer, shape.recv_tag, shape.recv_bytes))
                received_.push_back(*message);
            break;
        case CallClass::isendrecv:
            if (const auto message = outgoing(shape)) sent_.push_back(*message);
            [[fallthrough]];
        case CallClass::irecv:
            if (const auto message = posted(shape, event.next_request))
                pending_[event.next_request] = *message;
            break;
        case CallClass::send_init:
        case CallClass::recv_init:
        case CallClass::psend_init:
        case CallClass::precv_init: persistent_[event.next_request] = {shape, std::nullopt}; break;
        case CallClass::start: start(event); break;
        case CallClass::complete: complete(event); break;
        case CallClass::request_free: forget(event); break;
        case CallClass::comm_new:
        case CallClass::icomm_new: define(shape); break;
        case CallClass::comm_free: communicators_.forget(rank_, shape.comm); break;
        default: break;
    }
}

void RankMessages::define(const Shape& shape) {
    if (shape.new_comm < 0) return;
    try {
        communicators_.define(rank_, shape);
    } catch (const std::invalid_argument& reason) {
        throw impossible_call(reason);
    }
}

std::vector<Message> RankMessages::unended() const {
    std::vector<Message> left = unended_;
    for (const auto& [request, message] : pending_) left.push_back(message);
    for (const auto& [request, call] : persistent_)
        if (call.active) left.push_back(*call.active);
    return left;
}

const replay::Communicator* RankMessages::reaching(std::int32_t comm, std::int32_t peer) {
    const replay::Membership* const found = communicators_.find(rank_, comm);
    if (found != nullptr && found->communicator->has_peer(peer)) return found->communicator;
    ++unplaced_;
    return nullptr;
}

Message RankMessages::numbered(const replay::Communicator& communicator, bool partitioned,
                               std::uint32_t source, std::uint32_t destination, std::int32_t tag,
                               std::uint64_t bytes,
                               std::unordered_map<std::uint64_t, std::uint64_t>& counts) const {
    const std::uint64_t ranks = std::uint64_t{source} << 32U | destination;
    const std::uint64_t tags = std::uint64_t{partitioned} << 32U | static_cast<std::uint32_t>(tag);
    const std::uint64_t channel = mixed(mixed(communicator.key, ranks), tags);
    return {channel, counts[channel]++, bytes, source, destination};
}

std::optional<Message> RankMessages::outgoing(const Shape& shape) {
    if (shape.peer == tracefile::proc_null) return std::nullopt;
    const replay::Communicator* const communicator = reaching(shape.comm, shape.peer);
    if (communicator == nullptr) return std::nullopt;
    return numbered(*communicator, is_partitioned(shape.call_class), rank_,
                    communicator->world_rank(shape.peer), shape.tag, shape.bytes * parts_of(shape),
                    sent_counts_);
}

std::optional<Message> RankMessages::incoming(const Shape& shape, std::int32_t peer, std::int32_t tag,
                                              std::uint64_t bytes) {
    if (peer == tracefile::proc_null) return std::nullopt;
    const replay::Communicator* const communicator = reaching(shape.comm, peer);
    if (communicator == nullptr) return std::nullopt;
    return numbered(*communicator, is_partitioned(shape.call_class), communicator->world_rank(peer), rank_,
                    tag, bytes, received_counts_);
}

/// Returns a receive that ends with its call, so that the match of a wildcard is known.
std::optional<Message> RankMessages::incoming_now(const Shape& shape, std::int32_t peer, std::int32_t tag,
                                                  std::uint64_t bytes) {
    if (peer != tracefile::proc_null && is_wildcard(peer, tag))
        return incoming(shape, shape.actual_peer, shape.actual_tag, bytes);
    return incoming(shape, peer, tag, bytes);
}

std::optional<Message> RankMessages::posted(const Shape& shape, std::uint64_t request) {
    const bool both = shape.call_class == CallClass::isendrecv;
    const std::int32_t peer = both ? shape.recv_peer : shape.peer;
    const std::int32_t tag = both ? shape.recv_tag : shape.tag;
    const std::uint64_t bytes = both ? shape.recv_bytes : shape.bytes * parts_of(shape);
    if (peer == tracefile::proc_null || !is_wildcard(peer, tag)) {
        if (withdrawn_.next(request)) return std::nullopt;
        return incoming(shape, peer, tag, bytes);
    }
    const auto matched = wildcards_.next_match(request);
    if (!matched) return std::nullopt;
    return incoming(shape, matched->peer, matched->tag, bytes);
}

void RankMessages::start(const Event& event) {
    for (const std::uint64_t reference : event.shape->references) {
        const std::uint64_t request = event.next_request - reference;
        const auto found = persistent_.find(request);
        if (found == persistent_.end()) continue;
        Persistent& call = found->second;
        if (receives(call.shape.call_class))
            call.active = posted(call.shape, request);
        else if (const auto message = outgoing(call.shape))
            sent_.push_back(*message);
    }
}

void RankMessages::complete(const Event& event) {
    for (const tracefile::Completion& completion : event.shape->completions) {
        const std::uint64_t request = event.next_request - completion.reference;
        if (const auto found = pending_.find(request); found != pending_.end()) {
            received_.push_back(found->second);
            pending_.erase(found);
        } else if (const auto call = persistent_.find(request); call != persistent_.end()) {
            if (const auto message = std::exchange(call->second.active, std::nullopt))
                received_.push_back(*message);
        }
    }
}

void RankMessages::forget(const Event& event) {
    for (const std::uint64_t reference : event.shape->references) {
        const std::uint64_t request = event.next_request - reference;
        if (const auto found = pending_.find(request); found != pending_.end()) {
            unended_.push_back(found->second);
            pending_.erase(found);
        }
        if (const auto found = persistent_.find(request); found != persistent_.end()) {
            if (found->second.active) unended_.push_back(*found->second.active);
            persistent_.erase(found);
        }
    }
}

}  // namespace linkworth::convert
