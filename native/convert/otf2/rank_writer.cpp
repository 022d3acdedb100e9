// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/rank_writer.hpp"

#include <algorithm>
#include <cmath>

#include "calls/names.hpp"
#include "convert/ti/ti.hpp"
#include "trace/shape_codec.hpp"

namespace linkworth::convert {

using tracefile::CallClass;
using tracefile::Event;
using tracefile::Shape;

namespace {

bool is_receive(CallClass kind) {
    return kind == CallClass::irecv || kind == CallClass::recv_init || kind == CallClass::precv_init;
}
bool is_send(CallClass kind) {
    return kind == CallClass::isend || kind == CallClass::send_init || kind == CallClass::psend_init;
}
bool makes_collective_request(CallClass kind) {
    return kind == CallClass::icollective || kind == CallClass::collective_init;
}

constexpr auto no_location = "a location cannot be written";

/// Number of the send of an MPI_Isendrecv, by that of its request.
constexpr std::uint64_t send_of(std::uint64_t number) { return number | std::uint64_t{1} << 63U; }

std::uint32_t root_of(std::int32_t root) {
    constexpr std::uint32_t none = LW_OTF2_UNDEFINED;
    switch (root) {
        case -1: return none;
        case tracefile::proc_null: return none - 2;  // OTF2_COLLECTIVE_ROOT_THIS_GROUP
        case -3: return none - 1;                    // OTF2_COLLECTIVE_ROOT_SELF
        default: return static_cast<std::uint32_t>(root);
    }
}

}  // namespace

void Otf2RankWriter::put(const lw_otf2_event& event) {
    const char* said = run_.library.write(run_.writer, &event);
    if (said != nullptr) otf2_check(said, "an event cannot be written");
    ++run_.written.records;
}

void Otf2RankWriter::message(lw_otf2_kind kind, std::uint64_t time, std::uint32_t comm, std::int32_t peer,
                             std::int32_t tag, std::uint64_t bytes, std::uint64_t request) {
    if (comm == LW_OTF2_UNDEFINED) return;
    lw_otf2_event event{};
    event.kind = kind;
    event.time = time;
    event.comm = comm;
    event.peer = static_cast<std::uint32_t>(peer);
    event.tag = static_cast<std::uint32_t>(tag);
    event.bytes = bytes;
    event.request = request;
    put(event);
}

void Otf2RankWriter::collective(lw_otf2_kind kind, std::uint64_t time, const Request& request,
                                std::uint64_t number) {
    if (request.comm == LW_OTF2_UNDEFINED) return;
    lw_otf2_event event{};
    event.kind = kind;
    event.time = time;
    event.comm = request.comm;
    event.peer = root_of(request.peer);
    event.operation = request.operation;
    event.bytes = request.sizes.sent;
    event.received = request.sizes.received;
    event.request = number;
    put(event);
}

void Otf2RankWriter::call(const Event& event, std::uint64_t enter, std::uint64_t leave) {
    const Shape& shape = *event.shape;
    lw_otf2_event edge{};
    edge.kind = LW_OTF2_ENTER;
    edge.time = enter;
    edge.region = region(shape.name);
    attribute_refs_.clear();
    attribute_values_.clear();
    if (!records_express(event)) {
        if (!kept_otherwise(shape)) ++run_.written.without_place;
        if (run_.options.attributes) {
            to_words(shape, words_);
            for (std::uint32_t i = 0; i < words_.size(); ++i)
                attribute_refs_.push_back(otf2_first_word_attribute + i);
            attribute_values_ = words_;
            run_.most_words = std::max(run_.most_words, static_cast<std::uint32_t>(words_.size()));
        }
    }
    if (event.cpu_seconds >= 0 && run_.options.attributes) {
        attribute_refs_.push_back(otf2_cpu_attribute);
        attribute_values_.push_back(static_cast<std::uint64_t>(std::llround(event.cpu_seconds * 1e9)));
    }
    edge.attributes = static_cast<std::uint32_t>(attribute_refs_.size());
    edge.attribute_refs = attribute_refs_.data();
    edge.attribute_values = attribute_values_.data();
    put(edge);
    records(event, enter, leave);
    edge.kind = LW_OTF2_LEAVE;
    edge.time = leave;
    edge.attributes = 0;
    put(edge);
}

std::uint32_t Otf2RankWriter::region(std::uint32_t name) {
    std::uint32_t& ref = run_.regions[name];
    if (ref == LW_OTF2_UNDEFINED) ref = run_.next_region++;
    return ref;
}

CollectivePlace Otf2RankWriter::place(std::int32_t comm) const {
    const replay::Membership* found = run_.communicators.find(rank_, comm);
    if (found == nullptr) return {};
    return {found->communicator->peers().size(), found->my_rank, found->communicator->inter};
}

Otf2RankWriter::Request Otf2RankWriter::request_of(const Shape& shape) const {
    Request request;
    request.call_class = shape.call_class;
    request.comm = comm(shape.comm);
    request.peer = shape.peer;
    request.tag = shape.tag;
    request.bytes = shape.bytes * (tracefile::is_partitioned(shape.call_class) ? shape.partitions : 1);
    request.wildcard = is_receive(shape.call_class) && tracefile::is_wildcard(shape.peer, shape.tag);
    request.persistent = tracefile::makes_persistent_request(shape.call_class);
    request.silent = request.comm == LW_OTF2_UNDEFINED || shape.peer == tracefile::proc_null;
    if (makes_collective_request(shape.call_class)) {
        request.silent = request.comm == LW_OTF2_UNDEFINED || !has_operation(shape.collective);
        request.operation = otf2_operation(shape.collective);
        request.sizes = totals_of(shape, place(shape.comm));
    }
    return request;
}

bool Otf2RankWriter::records_completions(const Event& event) const {
    const Shape& shape = *event.shape;
    tracefile::CompleteMode mode{};
    if (!complete_mode(run_.trace.names()[shape.name], mode) || mode != shape.mode) return false;
    if (shape.completions.empty() || shape.completions.size() != shape.listed) return false;
    return std::all_of(shape.completions.begin(), shape.completions.end(), [&](const auto& completion) {
        const auto found = requests_.find(event.next_request - completion.reference);
        return found != requests_.end() && !found->second.silent && !found->second.cancelled &&
               !found->second.sends_too &&
               (is_send(found->second.call_class) || is_receive(found->second.call_class) ||
                makes_collective_request(found->second.call_class)) &&
               found->second.wildcard == completion.was_wildcard;
    });
}

bool Otf2RankWriter::records_express(const Event& event) const {
    const Shape& shape = *event.shape;
    const std::string& name = run_.trace.names()[shape.name];
    const bool somewhere = shape.peer >= 0 && shape.tag >= 0 && comm(shape.comm) != LW_OTF2_UNDEFINED;
    switch (shape.call_class) {
        case CallClass::local:
        case CallClass::finalize: return class_by_name_alone(name, true) == shape.call_class;
        case CallClass::init: return class_by_name_alone(name, true) == CallClass::init && shape.code == 0;
        case CallClass::send:
        case CallClass::isend:
        case CallClass::recv: return somewhere;
        case CallClass::sendrecv: return somewhere && shape.recv_peer >= 0 && shape.recv_tag >= 0;
        case CallClass::complete: return records_completions(event);
        case CallClass::comm_free: return comm(shape.comm) > Otf2Communicators::self && somewhere;
        case CallClass::collective: {
            if (!has_operation(shape.collective) || comm(shape.comm) == LW_OTF2_UNDEFINED ||
                tracefile::collective_by_name(name) != shape.collective)
                return false;
            const CollectivePlace where = place(shape.comm);
            Shape again;
            again.collective = shape.collective;
            again.peer = shape.peer;
            const bool divided = set_sizes(again, totals_of(shape, where), where, true);
            return !divided && shape.send_counts.empty() && shape.recv_counts.empty() &&
                   again.bytes == shape.bytes && again.recv_bytes == shape.recv_bytes &&
                   again.element_bytes == shape.element_bytes;
        }
        default: return false;
    }
}

/// Returns whether another record keeps the shape: a receive's end, if there is one, or the next communicator
/// number, if none was lost.
bool Otf2RankWriter::kept_otherwise(const Shape& shape) const {
    if (shape.call_class == CallClass::irecv) return shape.peer >= 0 && shape.tag >= 0;
    return shape.call_class == CallClass::comm_new && !shape.inter && !shape.has_topology;
}

void Otf2RankWriter::begin(std::uint64_t number, const Request& request, std::uint64_t time) {
    if (request.silent) return;
    if (is_send(request.call_class))
        message(LW_OTF2_ISEND, time, request.comm, request.peer, request.tag, request.bytes, number);
    else if (is_receive(request.call_class))
        message(LW_OTF2_IRECV_REQUEST, time, request.comm, 0, 0, 0, number);
    else if (makes_collective_request(request.call_class))
        collective(LW_OTF2_ICOLLECTIVE_REQUEST, time, request, number);
}

/// An MPI_Isendrecv, as a send and a receive.
void Otf2RankWriter::begin_both(std::uint64_t number, const Shape& shape, std::uint64_t time) {
    Shape one = shape;
    one.call_class = CallClass::isend;
    const Request send = request_of(one);
    one.call_class = CallClass::irecv;
    one.peer = shape.recv_peer;
    one.tag = shape.recv_tag;
    one.bytes = shape.recv_bytes;
    Request receive = request_of(one);
    receive.sends_too = true;
    begin(send_of(number), send, time);
    begin(number, receive, time);
    requests_.insert_or_assign(send_of(number), send);
    requests_.insert_or_assign(number, receive);
}

void Otf2RankWriter::complete(const Event& event, std::uint64_t time) {
    for (const tracefile::Completion& completion : event.shape->completions) {
        const std::uint64_t number = event.next_request - completion.reference;
        const auto found = requests_.find(number);
        if (found == requests_.end()) continue;
        const Request& request = found->second;
        // A damaged trace may complete the two apart.
        const auto send = request.sends_too ? requests_.find(send_of(number)) : requests_.end();
        if (send != requests_.end()) complete(send_of(number), send->second, {}, time);
        complete(number, request, completion, time);
        if (!request.persistent) forget(number);
    }
}

void Otf2RankWriter::complete(std::uint64_t number, const Request& request,
                              const tracefile::Completion& completion, std::uint64_t time) {
    if (request.silent || request.cancelled) return;
    const std::int32_t peer = completion.was_wildcard ? completion.peer : request.peer;
    const std::int32_t tag = completion.was_wildcard ? completion.tag : request.tag;
    if (is_send(request.call_class))
        message(LW_OTF2_ISEND_COMPLETE, time, request.comm, 0, 0, 0, number);
    else if (is_receive(request.call_class))
        message(LW_OTF2_IRECV, time, request.comm, peer, tag, request.bytes, number);
    else if (makes_collective_request(request.call_class))
        collective(LW_OTF2_ICOLLECTIVE_COMPLETE, time, request, number);
}

void Otf2RankWriter::forget(std::uint64_t number) {
    requests_.erase(number);
    requests_.erase(send_of(number));
}

void Otf2RankWriter::new_communicator(const Shape& shape, std::uint64_t enter, std::uint64_t leave) {
    Request creation;
    creation.comm = comm(shape.comm);
    creation.peer = -1;
    creation.operation = otf2_create_handle;
    collective(LW_OTF2_COLLECTIVE_BEGIN, enter, creation);
    if (shape.new_comm >= 0) {
        const std::uint32_t made = run_.communicators.define(rank_, shape);
        message(LW_OTF2_COMM_CREATE, leave, made, 0, 0, 0);
    }
    collective(LW_OTF2_COLLECTIVE_END, leave, creation);
}

void Otf2RankWriter::records(const Event& event, std::uint64_t enter, std::uint64_t leave) {
    const Shape& shape = *event.shape;
    const std::uint64_t number = event.next_request;
    if (shape.call_class == CallClass::isendrecv) return begin_both(number, shape, enter);
    if (makes_request(shape.call_class)) {
        Request request = request_of(shape);
        const bool now = shape.call_class == CallClass::isend || shape.call_class == CallClass::irecv ||
                         shape.call_class == CallClass::icollective;
        if (now) begin(number, request, enter);
        if (shape.call_class == CallClass::icomm_new) new_communicator(shape, enter, leave);
        requests_.insert_or_assign(number, request);
        return;
    }
    const auto sent = [&] {
        if (shape.peer >= 0)
            message(LW_OTF2_SEND, enter, comm(shape.comm), shape.peer, shape.tag, shape.bytes);
    };
    const auto received = [&](std::int32_t peer, std::int32_t tag, std::uint64_t bytes) {
        if (tracefile::is_wildcard(peer, tag)) {
            peer = shape.actual_peer;
            tag = shape.actual_tag;
        }
        if (peer >= 0) message(LW_OTF2_RECV, leave, comm(shape.comm), peer, tag, bytes);
    };
    switch (shape.call_class) {
        case CallClass::send: return sent();
        case CallClass::recv: return received(shape.peer, shape.tag, shape.bytes);
        case CallClass::sendrecv: sent(); return received(shape.recv_peer, shape.recv_tag, shape.recv_bytes);
        case CallClass::start:
            for (const std::uint64_t reference : shape.references)
                if (const auto found = requests_.find(number - reference); found != requests_.end()) {
                    found->second.cancelled = false;
                    begin(number - reference, found->second, enter);
                }
            return;
        case CallClass::complete: return complete(event, leave);
        case CallClass::request_free:
            for (const std::uint64_t reference : shape.references) forget(number - reference);
            return;
        case CallClass::request_cancel:
            for (const std::uint64_t reference : shape.references) {
                const auto found = requests_.find(number - reference);
                if (found == requests_.end() || found->second.silent) continue;
                message(LW_OTF2_REQUEST_CANCELLED, enter, found->second.comm, 0, 0, 0, number - reference);
                found->second.cancelled = true;
            }
            return;
        case CallClass::collective: {
            Request request = request_of(shape);
            if (!has_operation(shape.collective)) return;
            request.operation = otf2_operation(shape.collective);
            request.sizes = totals_of(shape, place(shape.comm));
            collective(LW_OTF2_COLLECTIVE_BEGIN, enter, request);
            collective(LW_OTF2_COLLECTIVE_END, leave, request);
            return;
        }
        case CallClass::comm_new: return new_communicator(shape, enter, leave);
        case CallClass::comm_free: {
            Request end;
            end.comm = comm(shape.comm);
            end.peer = -1;
            end.operation = otf2_destroy_handle;
            if (end.comm <= Otf2Communicators::self) return;
            collective(LW_OTF2_COLLECTIVE_BEGIN, enter, end);
            message(LW_OTF2_COMM_DESTROY, enter, end.comm, 0, 0, 0);
            collective(LW_OTF2_COLLECTIVE_END, leave, end);
            run_.communicators.forget(rank_, shape.comm);
            return;
        }
        default: return;
    }
}

// ---- the locations of a rank's threads, and when their calls are in them ----

void Otf2RankWriter::edge(lw_otf2_kind kind, std::uint32_t region, std::uint64_t time) {
    lw_otf2_event event{};
    event.kind = kind;
    event.time = time;
    event.region = region;
    put(event);
}

void Otf2RankWriter::convert() {
    open(0);
    TimedEvent timed;
    while (cursor_.next(timed)) {
        if (thread_ends_.empty()) begin_rank(std::min(cursor_.block_base_ns(), timed.start_ns));
        take(timed);
    }
    if (!thread_ends_.empty()) end_rank();
    close_all();
    run_.end_ns = std::max(run_.end_ns, last_);
}

void Otf2RankWriter::open(std::uint32_t thread) {
    otf2_check(run_.library.select_location(run_.writer, otf2_location(rank_, thread)), no_location);
    thread_ = thread;
}

void Otf2RankWriter::close_all() {
    thread_ends_.try_emplace(0, 0);
    for (const auto& [thread, end] : thread_ends_) {
        open(thread);
        std::uint64_t events = 0;
        otf2_check(run_.library.end_location(run_.writer, &events), no_location);
        run_.locations.push_back({rank_, thread, events});
    }
}

void Otf2RankWriter::begin_rank(std::uint64_t time) {
    thread_ends_.emplace(0, time);
    begin_ = last_ = time;
    edge(LW_OTF2_PROGRAM_BEGIN, program_string, time);
    edge(LW_OTF2_ENTER, program_region, time);
}

void Otf2RankWriter::end_rank() {
    for (const auto& [thread, end] : thread_ends_) {
        open(thread);
        edge(LW_OTF2_LEAVE, program_region, thread == 0 ? last_ : end);
    }
    open(0);
    edge(LW_OTF2_PROGRAM_END, 0, last_);
}

void Otf2RankWriter::take(const TimedEvent& timed) {
    const std::uint32_t thread = timed.event.thread;
    const bool other = thread != latest_thread_;
    latest_thread_ = thread;
    if (thread != thread_) open(thread);
    const auto [at, begins] = thread_ends_.try_emplace(thread, begin_);
    // Readers merge the locations by time alone, and the order of calls numbers their requests. So a call of
    // another thread must end later than the one before, even if only by a nanosecond.
    const std::uint64_t earliest = timed.event.overlap_seconds > 0 ? at->second : last_;
    const std::uint64_t enter = std::max(timed.start_ns, earliest);
    last_ = std::max({enter, timed.end_ns, last_ + (other ? 1 : 0)});
    at->second = last_;
    if (begins) edge(LW_OTF2_ENTER, program_region, enter);
    call(timed.event, enter, last_);
}

}  // namespace linkworth::convert
