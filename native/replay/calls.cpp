// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Effects of each class of call on its rank.
#include <algorithm>
#include <string>
#include <utility>

#include "calls/expansion.hpp"
#include "replay/simulation.hpp"

namespace linkworth::replay {

using tracefile::CallClass;
using tracefile::Event;
using tracefile::Shape;

/// Apart from the calls that programs are full of, so that these need not make room for all that others do.
[[gnu::noinline]] bool Simulation::execute_rarer(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    const Event& event = state.event;
    const Shape& shape = *event.shape;
    switch (shape.call_class) {
        case CallClass::local:
            if (state.program->names[shape.name].input_output) return call_input_output(rank, event);
            if (!state.program->names[shape.name].communicates) return true;
            if (state.program->names[shape.name].collective) require_passing(rank, shape);
            return pass_as_recorded(rank, event);
        case CallClass::send_init:
        case CallClass::recv_init:
        case CallClass::collective_init:
            state.persistent[event.next_request] = PersistentCall{shape};
            return true;
        case CallClass::start: return call_start(rank, event);
        case CallClass::request_free:
        case CallClass::request_cancel: call_request_end(rank, event); return true;
        case CallClass::probe: return call_probe(rank, shape);
        case CallClass::collective:
        case CallClass::icollective: return call_collective(rank, event);
        case CallClass::comm_new:
        case CallClass::icomm_new: return call_new_communicator(rank, event);
        case CallClass::comm_free: state.program->communicators.forget(state.rank, shape.comm); return true;
        case CallClass::pcontrol:
            state.level = shape.code;
            if (!state.program->mark_seconds.empty())
                state.program->mark_seconds[state.rank].push_back(ranks_[rank].actor.now.seconds);
            state.program->region.set_level(state.rank, shape.code);
            if (shape.code > 0)
                state.program->region.enter(state.rank, ranks_[rank].actor.now);
            else
                state.program->region.leave(state.rank, ranks_[rank].actor.now);
            return true;
        case CallClass::init:
            if (tracefile::lets_threads_call_at_once(shape) && threads_ == Threads::unknown)
                throw MayHaveThreads();
            return true;
        case CallClass::win_new: return call_new_window(rank, event);
        case CallClass::win_free: return call_free_window(rank, event);
        case CallClass::rma:
        case CallClass::irma: return call_access(rank, event);
        case CallClass::win_sync: return call_window_sync(rank, event);
        case CallClass::psend_init:
        case CallClass::precv_init: call_partitioned_init(rank, event); return true;
        case CallClass::pready:
        case CallClass::pready_list: return call_ready(rank, event);
        case CallClass::parrived: return call_arrived(rank, event);
        case CallClass::finalize:
        case CallClass::abort: end_rank(rank); return false;
        default: return true;
    }
}

bool Simulation::call_start(std::uint32_t rank, const Event& event) {
    for (const std::uint64_t reference : event.shape->references) {
        const std::uint64_t number = event.next_request - reference;
        PersistentCall* const found = ranks_[rank].persistent_call(number);
        if (found == nullptr) continue;
        PersistentCall& call = *found;
        if (is_partitioned(call.shape.call_class)) {
            start_partitioned(rank, call);
            continue;
        }
        call.active =
            call.shape.call_class == CallClass::collective_init
                ? begin_collective(rank, call.shape)
                : post_call(ranks_[rank], call.shape, call.shape.call_class == CallClass::recv_init, number);
    }
    return true;
}

void Simulation::call_request_end(std::uint32_t rank, const Event& event) {
    RankState& state = ranks_[rank];
    const bool freed = event.shape->call_class == CallClass::request_free;
    for (const std::uint64_t reference : event.shape->references) {
        const std::uint64_t number = event.next_request - reference;
        std::uint32_t operation = none;
        if (const PersistentCall* const call = state.persistent_call(number)) {
            operation = call->active;
            if (freed) state.persistent.erase(number);
        } else if (freed) {
            state.requests.take(number, operation);
        } else {
            state.requests.find(number, operation);
        }
        if (freed && !state.paired_sends.empty())
            if (const auto pair = state.paired_sends.extract(number)) detach(pair.mapped());
        if (operation == none) continue;
        const Operation& pending = operations_[operation];
        if (freed) {
            detach(operation);
        } else if (early_) {
            throw OrderMatters{Order::time};
        } else if (!pending.done && pending.is_receive &&
                   ranks_[state.actor.rank].matcher.withdraw(pending.envelope, operation)) {
            finish(operation, ranks_[rank].actor.now);
        }
    }
}

/// Nobody will wait for the operation.
void Simulation::detach(std::uint32_t operation) {
    if (operations_[operation].done)
        operations_.release(operation);
    else
        operations_[operation].detached = true;
}

bool Simulation::call_probe(std::uint32_t rank, const Shape& shape) {
    RankState& state = ranks_[rank];
    if (!shape.found) {
        poll(state);
        return true;
    }
    const Membership* membership = membership_of(rank, shape.comm);
    if (membership == nullptr || shape.actual_peer == tracefile::proc_null) return true;
    // The receive that follows names the message that the probe found when it was recorded, so wait for that
    // very message.
    const Envelope wanted{membership->communicator->context * 2, shape.actual_peer, shape.actual_tag};
    RankState& home = ranks_[state.actor.rank];
    const std::uint32_t message = home.matcher.peek(wanted);
    begin_progress(state.actor);
    if (message == none) {
        home.probes.push_back({wanted, state.seat});
        return false;
    }
    state.actor.now.raise_to(messages_[message].at);
    end_progress(state.actor);
    return true;
}

std::uint32_t Simulation::begin_collective(std::uint32_t rank, const Shape& shape) {
    Membership* membership = membership_of(rank, shape.comm);
    if (membership == nullptr) {
        require_communicator(rank, shape);
        ++ranks_[rank].program->passed[shape.name];
        return none;
    }
    if (lacks_neighbours(rank, *membership, shape)) {
        ++ranks_[rank].program->passed[shape.name];
        return none;
    }
    Actor parent;
    parent.now = ranks_[rank].actor.now;
    parent.rank = ranks_[rank].actor.rank;
    parent.membership = ground_of(*membership);
    ++membership->collectives;
    return begin_schedule(parent, steps_of(rank, *membership, shape), 0);
}

/// Starts a schedule that runs by itself from where `parent` is. Returns the operation that ends with it.
std::uint32_t Simulation::begin_schedule(const Actor& parent, Schedule schedule, std::uint8_t lane) {
    require_order_of_calls();
    std::uint32_t index = 0;
    if (idle_actors_.empty()) {
        index = rank_count() + static_cast<std::uint32_t>(further_actors_.size());
        further_actors_.emplace_back();
    } else {
        index = idle_actors_.back();
        idle_actors_.pop_back();
    }
    const std::uint32_t request = operations_.take();
    Actor& actor = actor_at(index);
    actor.now = parent.now;
    actor.rank = parent.rank;
    actor.request = request;
    actor.membership = parent.membership;
    actor.lane = lane;
    actor.schedule = std::move(schedule);
    run_schedule(index);
    return request;
}

Schedule Simulation::steps_of(std::uint32_t rank, const Membership& membership, const Shape& shape) const {
    const Program& program = *ranks_[rank].program;
    return expand(program.rules, shape, membership, program.request.node_of_rank);
}

/// A collective that is not modelled may only pass if the user allows it.
void Simulation::require_passing(std::uint32_t rank, const Shape& shape) const {
    const Program& program = *ranks_[rank].program;
    if (program.request.settings.pass_unmodelled) return;
    const bool spawns = std::ranges::any_of(
        program.trace.names(), [](const std::string& name) { return name.starts_with("MPI_Comm_spawn"); });
    throw ReplayError(name_of(rank, shape) + " is a collective that the replay does not model" +
                      (spawns ? " (the program spawns processes, which are not in the trace)" : "") +
                      "; with --pass-unmodelled it takes the time that was recorded");
}

/// Returns whether the trace lacks the neighbours.
bool Simulation::lacks_neighbours(std::uint32_t rank, const Membership& membership,
                                  const Shape& shape) const {
    if (!collectives::is_neighborhood(shape.collective) || membership.neighbours != nullptr) return false;
    if (!ranks_[rank].program->request.settings.pass_unmodelled)
        throw ReplayError("the trace does not contain the neighbours of rank " +
                          std::to_string(ranks_[rank].rank) + " that " + name_of(rank, shape) +
                          " needs; record it again, or let the call take the time that was recorded with "
                          "--pass-unmodelled");
    return true;
}

/// A cut trace may have lost a communicator's creation; a whole one that lacks it is damaged.
void Simulation::require_communicator(std::uint32_t rank, const Shape& shape) const {
    if (!ranks_[rank].program->request.tolerate_cut)
        throw ReplayError("rank " + std::to_string(ranks_[rank].rank) + " uses a communicator in " +
                          name_of(rank, shape) +
                          " whose creation is missing from the trace; record it again");
}

bool Simulation::enter_collective(std::uint32_t rank, Membership& membership, Schedule schedule) {
    Actor& actor = ranks_[rank].actor;
    actor.membership = ground_of(membership);
    ++membership.collectives;
    actor.schedule = std::move(schedule);
    return run_schedule(rank);
}

bool Simulation::call_collective(std::uint32_t rank, const Event& event) {
    const Shape& shape = *event.shape;
    if (shape.call_class == CallClass::icollective) {
        ranks_[rank].requests.insert(event.next_request, begin_collective(rank, shape));
        return true;
    }
    Membership* membership = membership_of(rank, shape.comm);
    if (membership == nullptr) {
        require_communicator(rank, shape);
        return pass_as_recorded(rank, event);
    }
    if (lacks_neighbours(rank, *membership, shape)) return pass_as_recorded(rank, event);
    return enter_collective(rank, *membership, steps_of(rank, *membership, shape));
}

bool Simulation::call_new_communicator(std::uint32_t rank, const Event& event) {
    const Shape& shape = *event.shape;
    if (shape.call_class == CallClass::icomm_new) ranks_[rank].requests.insert(event.next_request, none);
    if (shape.new_comm < 0) return true;
    Membership& membership = ranks_[rank].program->communicators.define(ranks_[rank].rank, shape);
    if (shape.inter || shape.call_class == CallClass::icomm_new) return true;
    return enter_collective(rank, membership, steps_of(rank, membership, shape));
}

/// File system time is not scaled: it depends neither on the network nor on the CPU.
bool Simulation::call_input_output(std::uint32_t rank, const Event& event) {
    RankState& state = ranks_[rank];
    Stamp& now = state.actor.now;
    state.counts_computation() ? now.add_input_output(event.duration_seconds)
                               : now.add_wait(event.duration_seconds);
    state.program->region.compute(state.rank, event.duration_seconds);
    state.program->input_output_seconds[event.shape->name] += event.duration_seconds;
    return true;
}

bool Simulation::pass_as_recorded(std::uint32_t rank, const Event& event) {
    ++ranks_[rank].program->passed[event.shape->name];
    ranks_[rank].actor.now.add_wait(event.duration_seconds);
    return true;
}

}  // namespace linkworth::replay
