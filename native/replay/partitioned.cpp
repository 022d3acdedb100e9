// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Partitioned messages (MPI-4.1, 4). MPICH sends all partitions at once when the receiver has cleared it.
/// Open MPI sends each as a message of its own.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "replay/simulation.hpp"

namespace linkworth::replay {

using tracefile::CallClass;
using tracefile::Event;
using tracefile::Shape;

namespace {

/// A larger number is damage: no program has so many threads to fill them.
constexpr std::uint32_t most_partitions = 1U << 18U;

bool sends_whole(collectives::Library library) {
    return library == collectives::Library::mpich || library == collectives::Library::mpich_flat;
}

}  // namespace

void Simulation::call_partitioned_init(std::uint32_t rank, const Event& event) {
    require_order_of_calls();
    const Shape& shape = *event.shape;
    RankState& state = ranks_[rank];
    Program& program = *state.program;
    PersistentCall call{shape};
    const Membership* on = membership_of(rank, shape.comm);
    if (on == nullptr) require_communicator(rank, shape);
    if (on != nullptr && shape.peer != tracefile::proc_null) {
        if (shape.peer < 0 || on->communicator->inter || shape.partitions > most_partitions)
            throw std::invalid_argument("a partitioned message that cannot be");
        const bool sends = shape.call_class == CallClass::psend_init;
        const auto peer = static_cast<std::uint32_t>(shape.peer);
        const std::uint32_t other = program.first_rank + on->communicator->world_rank(shape.peer);
        Channel& channel = program.channels.join(on->communicator, sends ? on->my_rank : peer,
                                                 sends ? peer : on->my_rank, shape.tag, sends);
        const std::uint32_t home = state.actor.rank;
        channel.sender = sends ? home : other;
        channel.receiver = sends ? other : home;
        if (sends) {
            channel.partitions = shape.partitions;
            channel.bytes = shape.bytes;
            channel.whole = shape.partitions == 0 || sends_whole(program.request.collectives.library);
        }
        call.channel = &channel;
    }
    state.persistent[event.next_request] = std::move(call);
}

void Simulation::start_partitioned(std::uint32_t rank, PersistentCall& call) {
    if (call.channel == nullptr) return;
    Channel& channel = *call.channel;
    if (call.shape.call_class == CallClass::psend_init) {
        call.round = channel.sends++;
        channel.round(call.round).ready.assign(channel.partitions, false);
        channel.trim();
        if (channel.partitions == 0) ready_unit(rank, channel, call.round, 0);
        return;
    }
    call.round = channel.receives++;
    Round& round = channel.round(call.round);
    Actor& actor = ranks_[rank].actor;
    round.receiver_started = true;
    if (sends_whole(ranks_[rank].program->request.collectives.library)) {
        const Path& costs = path(node_of(rank) == node_of(channel.sender));
        actor.now.add_overhead(costs.send_overhead.at(control_bytes));
        round.clear_to_send = control_message(rank, channel.sender, actor.now);
        round.clear_to_send.add_overhead(costs.receive_overhead.at(control_bytes));
    }
    round.started_at = actor.now;
    const auto waiting = std::exchange(round.waiting, {});
    for (const std::uint32_t access : waiting) clear_unit(access);
}

/// Makes the rank wait for the operations that complete the request.
void Simulation::complete_partitioned(std::uint32_t rank, PersistentCall& call) {
    if (call.channel == nullptr) return;
    std::vector<std::uint32_t>& waiting = ranks_[rank].actor.waiting;
    if (call.shape.call_class == CallClass::precv_init) {
        if (call.channel->receives == 0) return;
        Round& round = call.channel->round(call.round);
        if (round.done != none) return;
        round.waited_at = ranks_[rank].actor.now;
        round.done = operations_.take();
        waiting.push_back(round.done);
        return settle(*call.channel, round);
    }
    if (call.channel->sends == 0) return;
    const auto leaving = std::exchange(call.channel->round(call.round).leaving, {});
    waiting.insert(waiting.end(), leaving.begin(), leaving.end());
}

/// MPI_Pready and its forms.
bool Simulation::call_ready(std::uint32_t rank, const Event& event) {
    const Shape& shape = *event.shape;
    PersistentCall* call = persistent_of(rank, event);
    if (call == nullptr || call->channel == nullptr || call->channel->sends == 0) return true;
    if (shape.call_class == CallClass::pready_list) {
        for (const std::uint32_t partition : shape.partition_list) ready_partition(rank, *call, partition);
        return true;
    }
    if (shape.last_partition >= call->channel->partitions)
        throw std::invalid_argument("a partition that its message does not have");
    for (std::uint32_t each = shape.first_partition; each <= shape.last_partition; ++each)
        ready_partition(rank, *call, each);
    return true;
}

/// Threads that make partitions ready share the request of the one that started it.
PersistentCall* Simulation::persistent_of(std::uint32_t rank, const Event& event) {
    if (event.shape->references.empty()) return nullptr;
    const std::uint64_t number = event.next_request - event.shape->references.front();
    PersistentCall* found = ranks_[rank].persistent_call(number);
    if (found != nullptr || ranks_[rank].thread == nullptr) return found;
    for (const std::uint32_t seat : ranks_[rank].thread->rank->seats)
        if (found == nullptr) found = ranks_[seat].persistent_call(number);
    return found;
}

void Simulation::ready_partition(std::uint32_t rank, const PersistentCall& call, std::uint32_t partition) {
    Channel& channel = *call.channel;
    if (call.shape.call_class != CallClass::psend_init || partition >= channel.partitions)
        throw std::invalid_argument("a partition that its message does not have");
    // A thread may record the call after another one has completed its round and started the next.
    std::uint64_t number = call.round;
    while (channel.lacks(number - 1, partition)) --number;
    Round& round = channel.round(number);
    if (round.ready.size() <= partition || round.ready[partition]) return;
    round.ready[partition] = true;
    ++round.ready_count;
    if (!channel.whole)
        ready_unit(rank, channel, number, partition);
    else if (round.ready_count == channel.partitions)
        ready_unit(rank, channel, number, 0);
}

/// A unit may leave as far as its sender is concerned.
void Simulation::ready_unit(std::uint32_t rank, Channel& channel, std::uint64_t number, std::uint32_t unit) {
    Actor& actor = ranks_[rank].actor;
    const bool local = node_of(rank) == node_of(channel.receiver);
    const Path& costs = path(local);
    actor.now.add_overhead(costs.send_overhead.at(channel.unit_bytes()));
    const std::uint32_t index = accesses_.take();
    Access& access = accesses_[index];
    access.kind = AccessKind::partition;
    access.origin = actor.rank;
    access.target = channel.receiver;
    access.channel = &channel;
    access.round = number;
    access.unit = unit;
    access.message = begin_data(index, actor.rank, channel.receiver, channel.unit_bytes(), actor.now);
    Round& round = channel.round(number);
    Message& message = messages_[access.message];
    const bool eager = !channel.whole && costs.is_eager(channel.unit_bytes());
    if (eager) return go_at_its_time(access.message);
    message.noticed = false;
    message.send = operations_.take();
    round.leaving.push_back(message.send);
    if (channel.whole) {
        access.at = actor.now;
        round.waiting.push_back(index);
        if (round.receiver_started) clear_unit(std::exchange(round.waiting, {}).front());
        return;
    }
    access.at = control_message(actor.rank, channel.receiver, actor.now);
    reach_at_its_time(index);
}

/// A request to send a unit is at its receiver.
void Simulation::on_announced_partition(std::uint32_t index) {
    const Access& access = accesses_[index];
    Round& round = access.channel->round(access.round);
    if (round.receiver_started) return clear_unit(index);
    round.waiting.push_back(index);
}

/// The receiver lets a unit come.
void Simulation::clear_unit(std::uint32_t index) {
    const Access& access = accesses_[index];
    const Round& round = access.channel->round(access.round);
    Message& message = messages_[access.message];
    if (access.channel->whole) {
        message.at = later(access.at, round.clear_to_send);
        return go_at_its_time(access.message);
    }
    message.at = later(access.at, round.started_at);
    on_answer(access.message);
}

/// A unit is in the receiver's memory.
void Simulation::on_partition(std::uint32_t index) {
    const Access& access = accesses_[index];
    Channel& channel = *access.channel;
    Round& round = channel.round(access.round);
    if (round.arrived.empty()) {
        round.arrived.assign(channel.units(), false);
        round.arrivals.resize(channel.units());
    }
    round.arrived[access.unit] = true;
    round.arrivals[access.unit] = access.at;
    ++round.arrived_count;
    accesses_.release(index);
    settle(channel, round);
}

/// Ends the waits for units that have arrived.
void Simulation::settle(Channel& channel, Round& round) {
    if (round.arrived.empty()) return;
    std::erase_if(round.waiters, [&](const PartWaiter& waiter) {
        Stamp at;
        if (!has_arrived(round, waiter, at)) return false;
        finish(waiter.operation, at);
        return true;
    });
    if (round.arrived_count < round.arrived.size() || round.done == none || round.receiver_ended) return;
    round.receiver_ended = true;
    // The receiver takes the units in the order in which they came, as it would take messages.
    std::sort(round.arrivals.begin(), round.arrivals.end(),
              [](const Stamp& a, const Stamp& b) { return a.seconds < b.seconds; });
    const Path& costs = path(node_of(channel.sender) == node_of(channel.receiver));
    const std::uint64_t bytes = channel.unit_bytes();
    Stamp taken = round.waited_at;
    double overhead = 0;
    for (const Stamp& at : round.arrivals) {
        taken.add_overhead(overhead);
        taken.raise_to(at);
        overhead = costs.receive_overhead.at(bytes);
        if (at.seconds < round.started_at.seconds)
            overhead += static_cast<double>(bytes) / fabric_.unexpected_copy_bytes_per_second;
    }
    operations_[round.done].completion_overhead = overhead;
    finish(round.done, taken);
}

/// Returns whether all units of the receiver's partition have arrived, and raises `at` to the last arrival.
bool Simulation::has_arrived(const Round& round, const PartWaiter& waiter, Stamp& at) {
    const std::uint64_t units = round.arrived.size();
    const std::uint64_t first = waiter.part * units / waiter.of;
    const std::uint64_t end = std::min(units, ((waiter.part + 1) * units + waiter.of - 1) / waiter.of);
    for (std::uint64_t unit = first; unit < end; ++unit) {
        if (!round.arrived[unit]) return false;
        at.raise_to(round.arrivals[unit]);
    }
    return true;
}

/// An MPI_Parrived that returned true when it was recorded waits for its partition.
bool Simulation::call_arrived(std::uint32_t rank, const Event& event) {
    const Shape& shape = *event.shape;
    PersistentCall* call = persistent_of(rank, event);
    if (!shape.found) poll(ranks_[rank]);
    if (!shape.found || call == nullptr || call->channel == nullptr) return true;
    if (call->shape.call_class != CallClass::precv_init || shape.first_partition >= call->shape.partitions)
        throw std::invalid_argument("a partition that its message does not have");
    if (call->channel->receives == 0) return true;
    Round& round = call->channel->round(call->round);
    if (round.receiver_ended) return true;
    PartWaiter waiter{shape.first_partition, call->shape.partitions, operations_.take()};
    ranks_[rank].actor.waiting.push_back(waiter.operation);
    round.waiters.push_back(waiter);
    settle(*call->channel, round);
    return wait_for_operations(ranks_[rank].actor, rank);
}

}  // namespace linkworth::replay
