// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The loop of a running rank: takes its next event, lets its computation pass, and makes the call, as long
/// as nothing else comes first. Rarer cases are elsewhere, so that all of this is one function.
#include <string>
#include <utility>

#include "replay/posting.hpp"
#include "replay/simulation.hpp"

namespace linkworth::replay {

using tracefile::CallClass;
using tracefile::Event;
using tracefile::Shape;

const Membership& Simulation::membership_for(RankState& state, const Shape& shape) const {
    const Membership* membership = state.program->communicators.find(state.rank, shape.comm);
    if (membership == nullptr)
        throw ReplayError("rank " + std::to_string(state.rank) + " uses a communicator in " +
                          name_of(state.actor.rank, shape) +
                          " whose creation is missing from the trace; record it again");
    return *membership;
}

/// Posts the send or the receive of a call or a started persistent request. Returns its operation, or `none`.
/// `request` is its number if it has one.
std::uint32_t Simulation::post_call(RankState& state, const Shape& shape, bool receiving,
                                    std::uint64_t request) {
    const Membership& membership = membership_for(state, shape);
    const bool both = shape.call_class == CallClass::sendrecv || shape.call_class == CallClass::isendrecv;
    if (receiving) {
        std::int32_t peer = both ? shape.recv_peer : shape.peer;
        std::int32_t tag = both ? shape.recv_tag : shape.tag;
        if (tracefile::is_wildcard(peer, tag)) {
            wildcards_ = true;
            if (as_recorded_) take_as_recorded(state, shape, request, peer, tag);
        }
        return post_receive(state.actor, membership, false, peer, tag);
    }
    return post_send(state.actor, membership, false, shape.peer, shape.tag, shape.bytes,
                     state.program->names[shape.name].mode);
}

/// Replaces the wildcards of a receive by what it took when it was recorded.
[[gnu::noinline, gnu::cold]] void Simulation::take_as_recorded(RankState& state, const Shape& shape,
                                                               std::uint64_t request, std::int32_t& peer,
                                                               std::int32_t& tag) {
    if (shape.call_class == CallClass::recv || shape.call_class == CallClass::sendrecv) {
        peer = shape.actual_peer;
        tag = shape.actual_tag;
        return;
    }
    auto& wildcards = ranks_[state.actor.rank].wildcards;
    if (wildcards == nullptr)
        wildcards = std::make_unique<tracefile::Wildcards>(state.program->trace, state.rank);
    if (const auto match = wildcards->next_match(request)) {
        peer = match->peer;
        tag = match->tag;
    }
}

[[gnu::noinline, gnu::flatten]] bool Simulation::call_point_to_point(RankState& state, const Event& event) {
    const Shape& shape = *event.shape;
    const CallClass kind = shape.call_class;
    const std::uint32_t receive =
        kind == CallClass::send ? none : post_call(state, shape, true, event.next_request);
    const std::uint32_t send =
        kind == CallClass::recv ? none : post_call(state, shape, false, event.next_request);
    if (kind == CallClass::isendrecv) {
        state.requests.insert(event.next_request, receive);
        if (send != none) state.paired_sends[event.next_request] = send;
        return true;
    }
    if (receive != none) state.actor.waiting.push_back(receive);
    if (send != none) state.actor.waiting.push_back(send);
    return wait_for_operations(state.actor, state.seat);
}

bool Simulation::call_complete(RankState& state, const Event& event) {
    Actor& actor = state.actor;
    const bool all_plain = state.persistent.empty() && state.paired_sends.empty();
    for (const auto& completion : event.shape->completions) {
        const std::uint64_t number = event.next_request - completion.reference;
        std::uint32_t operation = none;
        if (all_plain) [[likely]] {
            state.requests.take(number, operation);
            if (operation != none) actor.waiting.push_back(operation);
            continue;
        }
        PersistentCall* const call = state.persistent_call(number);
        if (call != nullptr && is_partitioned(call->shape.call_class)) {
            complete_partitioned(state.seat, *call);
            continue;
        }
        if (call != nullptr)
            operation = std::exchange(call->active, none);
        else
            state.requests.take(number, operation);
        if (!state.paired_sends.empty())
            if (const auto pair = state.paired_sends.extract(number)) actor.waiting.push_back(pair.mapped());
        if (operation != none) actor.waiting.push_back(operation);
    }
    if (event.shape->completions.empty()) {
        poll(state);
        return true;
    }
    return wait_for_operations(actor, state.seat);
}

inline bool Simulation::execute(RankState& state) {
    const Event& event = state.event;
    const Shape& shape = *event.shape;
    state.call_name = shape.name;
    state.call_class = shape.call_class;
    ++state.program->events;
    switch (shape.call_class) {
        case CallClass::isend:
            state.requests.insert(event.next_request, post_call(state, shape, false, event.next_request));
            return true;
        case CallClass::irecv:
            state.requests.insert(event.next_request, post_call(state, shape, true, event.next_request));
            return true;
        case CallClass::complete: return call_complete(state, event);
        case CallClass::send:
        case CallClass::recv:
        case CallClass::sendrecv:
        case CallClass::isendrecv: return call_point_to_point(state, event);
        default: return execute_rarer(state.seat);
    }
}

[[gnu::flatten]] void Simulation::run_rank(RankState& state) {
    for (;;) {
        if (!state.actor.event_pending && !fetch(state)) return;
        if (too_early(state.actor)) {
            queue_.push(state.actor.now.seconds, Happening::resume, state.seat);
            return;
        }
        state.actor.event_pending = false;
        state.call_started = state.actor.now.seconds;
        if (!execute(state)) return;
        if (any_order_ && leads_too_far(state)) {
            runnable_.push_back(state.seat);
            return;
        }
    }
}

/// Takes the rank's next event and lets its computation pass. Returns false at the end of the trace, or if
/// its thread waits for another.
inline bool Simulation::fetch(RankState& state) {
    Event& event = state.event;
    if (recording_ != nullptr) record_call_end(state.seat);
    if ((state.actor.finished || !state.cursor.next(event)) && !fetch_after_stop(state)) return false;
    state.actor.event_pending = true;
    const std::uint64_t interval = state.intervals++;
    const double recorded = RecordedComputation::recorded(event);
    if (recorded < event.gap_seconds && state.computation.started())
        state.program->region.descheduled(state.rank, event.gap_seconds - recorded);
    if (recorded == 0 && state.computation.passed(event)) return true;
    double compute = state.program->computation.seconds(state.rank, state.level, interval, recorded);
    compute = state.computation.counted(event, compute);
    if (compute > 0) {
        if (shared_nodes_) [[unlikely]]
            return put_off(state, compute);
        if (state.counts_computation())
            state.actor.now.add_compute(compute);
        else
            state.actor.now.add_wait(compute);
        state.program->region.compute(state.rank, compute);
        if (recording_ != nullptr) [[unlikely]]
            recording_->computed(state.rank, state.actor.now.seconds - compute, state.actor.now.seconds);
    }
    return true;
}

/// On a node whose ranks slow each other, delays a computation to the simulated time of its rank, when the
/// other ranks' activity is known. Returns whether the rank continues at once.
[[gnu::noinline, gnu::cold]] bool Simulation::put_off(RankState& state, double alone_seconds) {
    state.actor.event_pending = false;
    shared_nodes_->put_off(state.seat, alone_seconds);
    if (comes_next(state.actor))
        begin_computation(state);
    else
        queue_.push(state.actor.now.seconds, Happening::computes, state.seat);
    return false;
}

void Simulation::begin_computation(const RankState& state) {
    await_computation(shared_nodes_->begin(node_of(state.actor.rank), state.seat,
                                           state.program->request.settings.memory_demand_bytes_per_second,
                                           state.actor.now.seconds));
}

void Simulation::await_computation(SharedNodes::FirstEnd end) {
    const std::uint32_t index = computations_.take_unset();
    computations_[index] = end;
    queue_.push(end.seconds, Happening::computed, index);
}

void Simulation::on_computed(std::uint32_t computation) {
    const SharedNodes::FirstEnd end = computations_[computation];
    computations_.release(computation);
    if (!shared_nodes_->is_current(end)) return;
    RankState& state = ranks_[shared_nodes_->end_first(end)];
    if (shared_nodes_->any_computes(end.node)) await_computation(shared_nodes_->first_end(end.node));
    const double began = state.actor.now.seconds;
    state.counts_computation() ? state.actor.now.compute_until(end.seconds)
                               : state.actor.now.wait_until(end.seconds);
    state.program->region.compute(state.rank, end.seconds - began);
    if (recording_ != nullptr) recording_->computed(state.rank, began, end.seconds);
    state.actor.event_pending = true;
    if (comes_next(state.actor))
        run_rank(state);
    else
        resume_at_its_time(state.seat);
}

void Simulation::record_call_end(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    const double started = std::exchange(state.call_started, -1);
    if (started < 0 || state.actor.finished) return;
    const std::uint32_t thread = state.thread == nullptr ? 0 : state.thread->place;
    recording_->call(
        {state.actor.rank, thread, state.call_name, started, state.actor.now.seconds, state.call_class});
}

}  // namespace linkworth::replay
