// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/ti/rank.hpp"

#include <stdexcept>
#include <utility>

#include "calls/expansion.hpp"
#include "convert/convert_error.hpp"

namespace linkworth::convert {

using replay::Communicator;
using replay::Membership;
using replay::SendMode;
using tracefile::CallClass;
using tracefile::Event;
using tracefile::is_wildcard;
using tracefile::Shape;

namespace {

/// Partitioned messages only meet each other.
constexpr std::uint32_t partitioned_context = 1U << 31U;

}  // namespace

TiRun::TiRun(const tracefile::Trace& given, const TiOptions& wanted)
    : trace(given),
      options(wanted),
      names(replay::describe_names(given.names())),
      communicators(given.ranks()),
      world_collectives(given.ranks()) {}

TiRank::TiRank(TiRun& run, std::uint32_t rank, std::string path)
    : run_(run),
      rank_(rank),
      actions_(std::move(path), rank, run.options.flops_per_second, run.balance),
      cursor_(run.trace.cursor(rank)),
      wildcards_(run.trace, rank) {
    actions_.turn(!run.result.marked_region);
}

void TiRank::convert() {
    Event event;
    while (cursor_.next(event)) {
        actions_.compute(computation_.counted(event, replay::RecordedComputation::recorded(event)));
        const std::uint64_t before = actions_.count();
        const bool goes_on = take(event);
        const bool written = actions_.count() > before;
        if (written) check_alone(event);
        unwritten_seconds_ = written ? 0 : unwritten_seconds_ + event.gap_seconds + event.duration_seconds;
        if (!goes_on) break;
    }
    actions_.finish();
    run_.result.actions += actions_.count();
    run_.result.bytes += actions_.bytes();
}

/// Refuses a call that began before another thread's ended. One after the other, the two may wait for ever:
/// the other may need what this one sends. A wait does nothing before its end.
void TiRank::check_alone(const Event& event) const {
    constexpr double rounding_seconds = 0.5e-9;
    if (event.shape->call_class == CallClass::complete) return;
    if (event.overlap_seconds > event.gap_seconds + unwritten_seconds_ + rounding_seconds)
        refuse(*event.shape,
               "it runs beside a call of another thread, and a time-independent trace has no threads");
}

/// Returns false if the rank ends.
bool TiRank::take(const Event& event) {
    const Shape& shape = *event.shape;
    switch (shape.call_class) {
        case CallClass::local: local(event); return true;
        case CallClass::send:
        case CallClass::isend:
        case CallClass::recv:
        case CallClass::irecv:
        case CallClass::sendrecv: point_to_point(event); return true;
        case CallClass::send_init:
        case CallClass::recv_init:
        case CallClass::collective_init:
        case CallClass::psend_init:
        case CallClass::precv_init: persistent_[event.next_request] = {shape, {}}; return true;
        case CallClass::start: start(event); return true;
        case CallClass::complete: complete(event); return true;
        case CallClass::request_free:
        case CallClass::request_cancel: request_end(event); return true;
        case CallClass::collective:
            if (actions_.on()) collective(shape);
            return true;
        case CallClass::icollective:
            if (actions_.on()) requests_[event.next_request] = begin_collective(shape);
            return true;
        case CallClass::comm_new:
        case CallClass::icomm_new: new_communicator(shape); return true;
        case CallClass::comm_free: run_.communicators.forget(rank_, shape.comm); return true;
        case CallClass::pcontrol:
            if (run_.result.marked_region) actions_.turn(shape.code > 0);
            return true;
        // The receive that follows a probe waits in its stead.
        case CallClass::probe:
        case CallClass::parrived:
        case CallClass::init: return true;
        case CallClass::win_new:
        case CallClass::win_free:
        case CallClass::rma:
        case CallClass::irma:
        case CallClass::win_sync:
            if (actions_.on()) refuse(shape, "a time-independent trace has no one-sided communication");
            return true;
        case CallClass::isendrecv:
            if (actions_.on()) send_and_receive(event);
            return true;
        case CallClass::pready:
        case CallClass::pready_list: ready(event); return true;
        case CallClass::finalize:
        case CallClass::abort: return false;
    }
    return true;
}

void TiRank::local(const Event& event) {
    const replay::CallName& call = run_.names[event.shape->name];
    if (!actions_.on()) return;
    if (call.input_output) {
        ++run_.result.as_sleep[name(*event.shape)];
        return actions_.sleep(event.duration_seconds);
    }
    if (!call.communicates) return;
    if (call.collective)
        refuse(*event.shape,
               "a time-independent trace has no such call, and the recorded trace does not contain its "
               "messages");
    ++run_.result.as_sleep[name(*event.shape)];
    actions_.sleep(event.duration_seconds);
}

void TiRank::refuse(const Shape& shape, const char* why) const {
    throw ConvertError(name(shape) + " on rank " + std::to_string(rank_) + ": " + why);
}

Membership& TiRank::membership(const Shape& shape) {
    Membership* found = run_.communicators.find(rank_, shape.comm);
    if (found == nullptr)
        throw ConvertError("rank " + std::to_string(rank_) + " uses a communicator in " + name(shape) +
                           " whose creation is missing from the trace; record it again");
    return *found;
}

std::int32_t TiRank::tag_of(std::uint32_t context, std::int32_t tag, const Shape& shape) {
    const std::int32_t number = run_.tags.number(context, tag);
    if (number < 0)
        refuse(shape, "the trace uses more tags of communicators than a time-independent trace has");
    return number;
}

TiMessage TiRank::message(const Shape& shape, std::int32_t peer, std::int32_t tag, std::uint64_t bytes) {
    const Communicator& communicator = *membership(shape).communicator;
    return {communicator.world_rank(peer), tag_of(communicator.context * 2, tag, shape), bytes};
}

std::optional<TiMessage> TiRank::sent(const Shape& shape) {
    if (shape.peer == tracefile::proc_null) return std::nullopt;
    if (run_.names[shape.name].mode == SendMode::synchronous)
        refuse(shape, "a time-independent trace has no synchronous sends");
    return message(shape, shape.peer, shape.tag, shape.bytes);
}

std::optional<TiMessage> TiRank::received(const Shape& shape, std::int32_t peer, std::int32_t tag,
                                          std::uint64_t bytes) {
    if (is_wildcard(peer, tag) && peer != tracefile::proc_null) {
        ++run_.result.fixed_wildcards;
        peer = shape.actual_peer;
        tag = shape.actual_tag;
    }
    if (peer == tracefile::proc_null) return std::nullopt;
    return message(shape, peer, tag, bytes);
}

TiRank::Requests TiRank::begin(const Shape& shape, std::uint64_t request) {
    const bool receives = shape.call_class == CallClass::irecv || shape.call_class == CallClass::recv_init;
    if (!receives) {
        if (!actions_.on()) return {};
        const auto message = sent(shape);
        if (!message) return {};
        const TiRequest begun = actions_.isend(*message, name(shape));
        // A buffered send is complete as soon as it has begun.
        if (run_.names[shape.name].mode == SendMode::buffered) return {};
        return {begun};
    }
    std::int32_t peer = shape.peer;
    std::int32_t tag = shape.tag;
    if (is_wildcard(peer, tag)) {
        const auto matched = wildcards_.next_match(request);
        if (!matched || !actions_.on()) return {};
        ++run_.result.fixed_wildcards;
        peer = matched->peer;
        tag = matched->tag;
    }
    if (peer == tracefile::proc_null || !actions_.on()) return {};
    return {actions_.ireceive(message(shape, peer, tag, shape.bytes))};
}

void TiRank::point_to_point(const Event& event) {
    const Shape& shape = *event.shape;
    const CallClass kind = shape.call_class;
    if (kind == CallClass::isend || kind == CallClass::irecv) {
        Requests begun = begin(shape, event.next_request);
        if (!begun.empty()) requests_[event.next_request] = std::move(begun);
        return;
    }
    if (!actions_.on()) return;
    if (kind == CallClass::recv) {
        if (const auto message = received(shape, shape.peer, shape.tag, shape.bytes))
            actions_.receive(*message);
        return;
    }
    const auto out = sent(shape);
    if (kind == CallClass::send && run_.names[shape.name].mode == SendMode::buffered) {
        if (out) actions_.isend(*out, name(shape));
        return;
    }
    std::optional<TiMessage> in;
    if (kind == CallClass::sendrecv) in = received(shape, shape.recv_peer, shape.recv_tag, shape.recv_bytes);
    if (in && !out) return actions_.receive(*in);
    Requests begun;
    if (in) begun.push_back(actions_.ireceive(*in));
    if (out) actions_.send(*out, name(shape));
    actions_.wait_for(begun);
}

void TiRank::send_and_receive(const Event& event) {
    const Shape& shape = *event.shape;
    Requests& begun = requests_[event.next_request];
    tracefile::Completion source{.peer = shape.recv_peer, .tag = shape.recv_tag};
    if (is_wildcard(shape.recv_peer, shape.recv_tag) && shape.recv_peer != tracefile::proc_null) {
        ++run_.result.fixed_wildcards;
        source = wildcards_.next_match(event.next_request)
                     .value_or(tracefile::Completion{.peer = tracefile::proc_null});
    }
    if (source.peer != tracefile::proc_null)
        begun.push_back(actions_.ireceive(message(shape, source.peer, source.tag, shape.recv_bytes)));
    if (const auto out = sent(shape)) begun.push_back(actions_.isend(*out, name(shape)));
}

void TiRank::start(const Event& event) {
    for (const std::uint64_t reference : event.shape->references) {
        const std::uint64_t number = event.next_request - reference;
        const auto found = persistent_.find(number);
        if (found == persistent_.end()) continue;
        Persistent& call = found->second;
        const CallClass kind = call.shape.call_class;
        if (tracefile::is_partitioned(kind)) {
            call.ready = 0;
            const bool at_once = kind == CallClass::precv_init || call.shape.partitions == 0;
            call.active = at_once ? begin_partitioned(call.shape) : Requests();
        } else if (kind != CallClass::collective_init) {
            call.active = begin(call.shape, number);
        } else if (actions_.on()) {
            call.active = begin_collective(call.shape);
        }
    }
}

/// Sends all partitions as one message when the last of them is ready, as in MPICH.
void TiRank::ready(const Event& event) {
    const Shape& shape = *event.shape;
    if (shape.references.empty()) return;
    const auto found = persistent_.find(event.next_request - shape.references.front());
    if (found == persistent_.end() || found->second.shape.call_class != CallClass::psend_init) return;
    Persistent& call = found->second;
    if (shape.call_class == CallClass::pready_list)
        call.ready += shape.partition_list.size();
    else if (shape.last_partition >= shape.first_partition)
        call.ready += std::uint64_t{shape.last_partition} - shape.first_partition + 1;
    if (call.ready == call.shape.partitions) call.active = begin_partitioned(call.shape);
}

TiRank::Requests TiRank::begin_partitioned(const Shape& shape) {
    if (!actions_.on() || shape.peer == tracefile::proc_null) return {};
    actions_.check_bytes(shape.bytes, name(shape));
    TiMessage whole = message(shape, shape.peer, shape.tag, shape.bytes * shape.partitions);
    const std::uint32_t context = membership(shape).communicator->context * 2;
    whole.tag = tag_of(context | partitioned_context, shape.tag, shape);
    if (shape.call_class == CallClass::precv_init) return {actions_.ireceive(whole)};
    return {actions_.isend(whole, name(shape))};
}

void TiRank::complete(const Event& event) {
    Requests done;
    for (const tracefile::Completion& completion : event.shape->completions) {
        const std::uint64_t number = event.next_request - completion.reference;
        if (const auto found = persistent_.find(number); found != persistent_.end()) {
            const Requests active = std::exchange(found->second.active, {});
            done.insert(done.end(), active.begin(), active.end());
        } else if (const auto request = requests_.find(number); request != requests_.end()) {
            done.insert(done.end(), request->second.begin(), request->second.end());
            requests_.erase(request);
        }
    }
    if (actions_.on() && !done.empty()) actions_.wait_for(done);
}

/// Returns false if no action began the request: a receive from any source that took nothing has none.
bool TiRank::under_way(std::uint64_t request) const {
    if (requests_.contains(request)) return true;
    const auto call = persistent_.find(request);
    return call != persistent_.end() && !call->second.active.empty();
}

void TiRank::request_end(const Event& event) {
    if (event.shape->call_class == CallClass::request_cancel) {
        for (const std::uint64_t reference : event.shape->references)
            if (actions_.on() && under_way(event.next_request - reference))
                refuse(*event.shape, "a time-independent trace cannot take back a message");
        return;
    }
    for (const std::uint64_t reference : event.shape->references) {
        persistent_.erase(event.next_request - reference);
        requests_.erase(event.next_request - reference);
    }
}

// ---- collectives ----

bool TiRank::is_world(const Communicator& communicator) const {
    if (communicator.inter || communicator.size() != run_.trace.ranks()) return false;
    for (std::uint32_t rank = 0; rank < communicator.size(); ++rank)
        if (communicator.members[rank] != static_cast<std::int32_t>(rank)) return false;
    return true;
}

TiGround TiRank::ground_of(const Membership& of, const Shape& shape) {
    const Communicator* const ground = replay::ground_of(of).communicator;
    return {ground, tag_of(ground->context * 2 + 1, 0, shape)};
}

replay::Schedule TiRank::steps_of(const Membership& of, const Shape& shape) const {
    if (replay::collectives::is_neighborhood(shape.collective) && of.neighbours == nullptr)
        throw ConvertError("the trace does not contain the neighbours of rank " + std::to_string(rank_) +
                           " that " + name(shape) + " needs; record it again");
    // The placement of the ranks is not known, so all are treated as if on one level.
    return replay::expand(run_.options.collectives, shape, of, {});
}

void TiRank::collective(const Shape& shape) {
    const Membership& of = membership(shape);
    if (!of.communicator->inter && of.communicator->size() == 1 &&
        !replay::collectives::is_neighborhood(shape.collective))
        return;
    const bool on_world =
        is_world(*of.communicator) && !replay::collectives::is_neighborhood(shape.collective);
    if (on_world && !run_.options.collectives_as_messages) {
        if (write_collective(actions_, shape, of.communicator->size(), name(shape)))
            ++run_.world_collectives[rank_];
        return;
    }
    ++run_.result.as_messages[name(shape)];
    write_steps(actions_, steps_of(of, shape), ground_of(of, shape), name(shape));
}

TiRank::Requests TiRank::begin_collective(const Shape& shape) {
    const Membership& of = membership(shape);
    ++run_.result.as_messages[name(shape)];
    return start_steps(actions_, steps_of(of, shape), ground_of(of, shape), name(shape));
}

void TiRank::new_communicator(const Shape& shape) {
    if (shape.new_comm < 0) return;
    const Membership& made = run_.communicators.define(rank_, shape);
    if (shape.inter || shape.call_class == CallClass::icomm_new || !actions_.on()) return;
    if (made.communicator->size() == 1) return;
    ++run_.result.as_messages[name(shape)];
    write_steps(actions_, steps_of(made, shape), ground_of(made, shape), name(shape));
}

}  // namespace linkworth::convert
