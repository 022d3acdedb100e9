// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// One-sided communication: accesses to windows, and their synchronisation (MPI-4.1, 12).
#include <stdexcept>
#include <utility>

#include "replay/simulation.hpp"

namespace linkworth::replay {

using tracefile::CallClass;
using tracefile::Event;
using tracefile::RmaOperation;
using tracefile::Shape;
using tracefile::WindowSync;

namespace {

/// Used instead of a collective's number, so that messages of MPI_Win_post and of MPI_Win_complete do not
/// match.
constexpr std::uint32_t exposed = 0;
constexpr std::uint32_t completed = 1;

constexpr std::uint32_t every_target = none;

void check_group(const std::vector<std::int32_t>& group) {
    for (const std::int32_t rank : group)
        if (rank < 0) throw std::invalid_argument("a group of a window with a rank that cannot be");
}

Schedule notify(std::vector<std::int32_t> group) {
    for (const std::int32_t rank : group) co_yield send_to(static_cast<std::uint32_t>(rank), 0);
}

Schedule await(std::vector<std::int32_t> group) {
    for (const std::int32_t rank : group) co_yield receive_from(static_cast<std::uint32_t>(rank), 0);
    co_yield wait_all();
}

Schedule release(std::uint32_t target) { co_yield release_lock_of(target); }

}  // namespace

/// A cut trace may have lost a window's creation; a whole one that lacks it is damaged.
WindowSide* Simulation::window_of(std::uint32_t rank, const Shape& shape) {
    Program& program = *ranks_[rank].program;
    WindowSide* side = program.windows.find(ranks_[rank].rank, shape.window);
    if (side == nullptr && !program.request.tolerate_cut)
        throw ReplayError("rank " + std::to_string(ranks_[rank].rank) + " uses a window in " +
                          name_of(rank, shape) +
                          " whose creation is missing from the trace; record it again");
    return side;
}

bool Simulation::call_new_window(std::uint32_t rank, const Event& event) {
    require_order_of_calls();
    const Shape& shape = *event.shape;
    if (shape.new_window < 0) return true;
    Program& program = *ranks_[rank].program;
    const Membership* on = membership_of(rank, shape.comm);
    if (on == nullptr) {
        require_communicator(rank, shape);
        return pass_as_recorded(rank, event);
    }
    WindowSide& side =
        program.windows.define(ranks_[rank].rank, shape.new_window, *on, program.communicators);
    return enter_collective(rank, side.membership, steps_of(rank, side.membership, shape));
}

/// Waits for all that was accessed, then for everybody.
bool Simulation::fence(std::uint32_t rank, WindowSide& side) {
    Shape barrier;
    barrier.call_class = CallClass::collective;
    barrier.collective = tracefile::Collective::barrier;
    barrier.peer = -1;
    take_pending(rank, side, every_target, false);
    Schedule steps = steps_of(rank, side.membership, barrier);
    return wait_then(rank, side.membership, side.membership.collectives++, std::move(steps));
}

bool Simulation::call_free_window(std::uint32_t rank, const Event& event) {
    WindowSide* side = window_of(rank, *event.shape);
    if (side == nullptr) return pass_as_recorded(rank, event);
    const bool goes_on = fence(rank, *side);
    ranks_[rank].program->windows.forget(ranks_[rank].rank, event.shape->window);
    return goes_on;
}

/// Waits for the operations that the rank's actor is given, then takes the steps.
bool Simulation::wait_then(std::uint32_t rank, const Membership& membership, std::uint32_t number,
                           Schedule steps) {
    Actor& actor = ranks_[rank].actor;
    actor.membership = membership;
    actor.membership.collectives = number;
    actor.schedule = std::move(steps);
    return wait_for_operations(ranks_[rank].actor, rank) && run_schedule(rank);
}

/// Makes the rank's actor wait for accesses to `target` or to all. They must be complete there or, if
/// `locally`, have freed their memory at the origin.
void Simulation::take_pending(std::uint32_t rank, WindowSide& side, std::uint32_t target, bool locally) {
    std::vector<std::uint32_t>& waiting = ranks_[rank].actor.waiting;
    std::size_t kept = 0;
    for (PendingAccess& access : side.pending) {
        const bool wanted = target == every_target || access.target == target;
        if (wanted && access.left != none) waiting.push_back(std::exchange(access.left, none));
        if (!wanted || (locally && access.is_put))
            side.pending[kept++] = access;
        else
            waiting.push_back(access.done);
    }
    side.pending.resize(kept);
}

/// Sends a message without data from one rank to another, at `ready`. Returns when it arrives.
Stamp Simulation::control_message(std::uint32_t from, std::uint32_t to, const Stamp& ready) {
    if (node_of(from) != node_of(to))
        return network_.control({node_of(from), node_of(to), connection(from, to), control_bytes}, ready);
    Stamp at = ready;
    at.add_latency_elsewhere(fabric_.intranode.latency_seconds);
    return at;
}

/// Data that needs no call at its other end: begins at `at`.
std::uint32_t Simulation::begin_data(std::uint32_t access, std::uint32_t from, std::uint32_t to,
                                     std::uint64_t bytes, const Stamp& at) {
    const std::uint32_t index = messages_.take();
    Message& message = messages_[index];
    message.access = access;
    message.source = from;
    message.destination = to;
    message.bytes = bytes;
    message.sent_seconds = at.seconds;
    message.local = node_of(from) == node_of(to);
    message.rendezvous = true;
    message.noticed = true;
    message.at = at;
    // The reply to a get counts for the rank that requested it.
    const RankState& asker = ranks_[accesses_[access].replying ? to : from];
    Program& program = *asker.program;
    ++program.messages;
    if (!message.local) program.count_between_nodes(asker.rank, bytes);
    return index;
}

void Simulation::go_at_its_time(std::uint32_t message) {
    if (any_order_) return on_transfer(message);
    queue_.push(messages_[message].at.seconds, Happening::transfer, message);
}

void Simulation::reach_at_its_time(std::uint32_t access) {
    if (any_order_) return on_access(access);
    queue_.push(accesses_[access].at.seconds, Happening::access, access);
}

bool Simulation::call_access(std::uint32_t rank, const Event& event) {
    const Shape& shape = *event.shape;
    RankState& state = ranks_[rank];
    const bool makes_request = shape.call_class == CallClass::irma;
    WindowSide* side = window_of(rank, shape);
    if (side == nullptr || shape.peer == tracefile::proc_null) {
        if (makes_request) state.requests.insert(event.next_request, none);
        return side != nullptr || pass_as_recorded(rank, event);
    }
    Actor& actor = ranks_[rank].actor;
    const auto target = static_cast<std::uint32_t>(shape.peer);
    const std::uint32_t index = accesses_.take();
    Access& access = accesses_[index];
    access.origin = actor.rank;
    access.target = state.program->first_rank + side->window->communicator->world_rank(shape.peer);
    access.reply_bytes = shape.recv_bytes;
    access.done = operations_.take();
    const bool is_put = shape.operation == RmaOperation::put || shape.operation == RmaOperation::accumulate;
    access.kind = is_put ? AccessKind::put : AccessKind::get;
    const Path& costs = path(node_of(actor.rank) == node_of(access.target));
    const bool asks_only = shape.operation == RmaOperation::get;
    actor.now.add_overhead(costs.send_overhead.at(asks_only ? control_bytes : shape.bytes));
    PendingAccess pending{target, access.done, none, is_put};
    std::uint32_t left = none;
    if (!is_put) {
        if (makes_request) access.request = operations_.take();
        operations_[makes_request ? access.request : access.done].completion_overhead =
            costs.receive_overhead.at(shape.recv_bytes);
    } else if (!costs.is_eager(shape.bytes)) {
        left = operations_.take();
        if (!makes_request) pending.left = left;
    }
    side->pending.push_back(pending);
    if (makes_request) state.requests.insert(event.next_request, is_put ? left : access.request);
    if (asks_only) {
        access.at = control_message(actor.rank, access.target, actor.now);
        reach_at_its_time(index);
        return true;
    }
    const std::uint32_t message = begin_data(index, actor.rank, access.target, shape.bytes, actor.now);
    messages_[message].send = left;
    go_at_its_time(message);
    return true;
}

/// The data of an access, or of a partition, is in memory.
void Simulation::on_data(std::uint32_t message, const Stamp& at) {
    const std::uint32_t index = messages_[message].access;
    messages_.release(message);
    Access& access = accesses_[index];
    access.at = at;
    if (access.kind == AccessKind::partition) return on_partition(index);
    if (!access.replying) return reach_at_its_time(index);
    const std::uint32_t done = access.done, request = access.request;
    accesses_.release(index);
    finish(done, at);
    if (request != none) finish(request, at);
}

/// An access or a request is at its target.
void Simulation::on_access(std::uint32_t index) {
    Access& access = accesses_[index];
    if (!notices(access.target, access.at, {Happening::access, index})) return;
    const Path& costs = path(node_of(access.origin) == node_of(access.target));
    const double answer = costs.answer_overhead();
    switch (access.kind) {
        case AccessKind::put: {
            const std::uint32_t done = access.done;
            const Stamp known = control_message(access.target, access.origin, access.at);
            accesses_.release(index);
            return finish(done, known);
        }
        case AccessKind::get: {
            access.replying = true;
            access.at.add_overhead(answer);
            const std::uint32_t reply =
                begin_data(index, access.target, access.origin, access.reply_bytes, access.at);
            return go_at_its_time(reply);
        }
        case AccessKind::lock: access.at.add_overhead(answer); return ask_for_lock(index);
        case AccessKind::unlock: return give_back_lock(index);
        case AccessKind::partition: return on_announced_partition(index);
    }
}

bool Simulation::call_window_sync(std::uint32_t rank, const Event& event) {
    const Shape& shape = *event.shape;
    WindowSide* found = window_of(rank, shape);
    if (found == nullptr) return pass_as_recorded(rank, event);
    if (shape.peer == tracefile::proc_null) return true;
    WindowSide& side = *found;
    const std::uint32_t target = shape.peer < 0 ? every_target : static_cast<std::uint32_t>(shape.peer);
    switch (shape.sync) {
        case WindowSync::fence: return fence(rank, side);
        case WindowSync::post:
            check_group(shape.members);
            side.exposure_group = shape.members;
            return wait_then(rank, side.membership, exposed, notify(shape.members));
        case WindowSync::start:
            check_group(shape.members);
            side.access_group = shape.members;
            return wait_then(rank, side.membership, exposed, await(shape.members));
        case WindowSync::complete:
            take_pending(rank, side, every_target, false);
            return wait_then(rank, side.membership, completed, notify(std::move(side.access_group)));
        case WindowSync::test:
            if (!shape.found) {
                poll(ranks_[rank]);
                return true;
            }
            [[fallthrough]];
        case WindowSync::wait:
            return wait_then(rank, side.membership, completed, await(std::move(side.exposure_group)));
        case WindowSync::lock: return call_lock(rank, side, shape);
        case WindowSync::lock_all: return call_lock_all(rank, *side.window);
        case WindowSync::unlock:
        case WindowSync::unlock_all: {
            const std::uint32_t whose = shape.sync == WindowSync::unlock ? target : every_target;
            take_pending(rank, side, whose, false);
            ranks_[rank].unlocking = side.window;
            return wait_then(rank, side.membership, completed, release(whose));
        }
        case WindowSync::flush:
        case WindowSync::flush_all:
        case WindowSync::flush_local:
        case WindowSync::flush_local_all:
            take_pending(rank, side, target,
                         shape.sync == WindowSync::flush_local || shape.sync == WindowSync::flush_local_all);
            return wait_for_operations(ranks_[rank].actor, rank);
        case WindowSync::sync: return true;
    }
    return true;
}

}  // namespace linkworth::replay
