// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The life of a message: posted, announced or sent eagerly, matched, delivered.
#include <algorithm>

#include "replay/posting.hpp"
#include "replay/simulation.hpp"

namespace linkworth::replay {
namespace {

/// Sorted by insertion.
constexpr std::size_t few_operations = 16;

}  // namespace

[[gnu::flatten]] std::uint32_t Simulation::post_send(Actor& actor, const Membership& membership,
                                                     bool collective, std::int32_t peer, std::int32_t tag,
                                                     std::uint64_t bytes, SendMode mode) {
    if (peer == tracefile::proc_null) return none;
    RankState& sender = ranks_[actor.rank];
    Program& program = *sender.program;
    const auto in_program =
        static_cast<std::uint32_t>(membership.communicator->peers().at(static_cast<std::size_t>(peer)));
    const std::uint32_t destination = program.first_rank + in_program;
    const bool local = node_of(actor.rank) == node_of(destination);
    const PathCosts& costs = path(local);
    actor.now.add_overhead(overheads(local, bytes).send);
    sender.last_destination = destination;
    ++program.messages;
    if (!local) program.internode_bytes += bytes;

    const std::uint32_t index = messages_.take_unset();
    Message& message = messages_[index];
    message.envelope =
        Envelope{context_of(membership, collective), static_cast<std::int32_t>(membership.my_rank), tag};
    message.source = actor.rank;
    message.destination = destination;
    message.bytes = bytes;
    message.sent_seconds = actor.now.seconds;
    message.send = message.receive = message.access = none;
    message.local = local;
    message.incomplete = message.noticed = false;
    message.rendezvous = mode == SendMode::synchronous || !costs.is_eager(bytes);
    if (!message.rendezvous) {
        send_eagerly(sender, message, index, actor.now);
        return none;
    }
    const std::uint32_t send = mode == SendMode::buffered ? none : operations_.take();
    message.send = send;
    announce(sender, message, index, actor.now);
    return send;
}

inline void Simulation::send_eagerly(RankState& sender, Message& message, std::uint32_t index,
                                     const Stamp& now) {
    if (any_order_ && !message.local) {
        Transmission what = transmission_of(message);
        what.order = &sender.last_link_envelope;
        Stamp at;
        network_.carry_alone(what, now, at, nullptr);
        return on_eager(index, at);
    }
    if (message.local) {
        Stamp envelope = now;
        envelope.add_latency_elsewhere(options_.fabric.intranode.latency_seconds);
        message.at = network_.copy(node_of(message.source), message.bytes, now);
        message.at.add_latency_elsewhere(options_.fabric.intranode.latency_seconds);
        envelope.raise_to(sender.last_local_envelope);
        sender.last_local_envelope = envelope;
        if (any_order_) return on_envelope(index);
        queue_.push(envelope.seconds, Happening::envelope, index);
        return;
    }
    Transmission what;
    what.source_node = node_of(message.source);
    what.destination_node = node_of(message.destination);
    what.bytes = message.bytes;
    what.order = &sender.last_link_envelope;
    if (network_.goes_plainly(what.source_node, what.bytes)) return network_.send_plainly(index, what, now);
    what.connection = connection_of(message);
    network_.send_anyhow(index, what, now);
}

void Simulation::announce(RankState& sender, Message& message, std::uint32_t index, const Stamp& now) {
    Stamp& last = message.local ? sender.last_local_envelope : sender.last_link_envelope;
    if (message.local) {
        message.at = now;
        message.at.add_latency_elsewhere(options_.fabric.intranode.latency_seconds);
    } else {
        message.at = network_.control(node_of(message.source), node_of(message.destination), now);
    }
    message.at.raise_to(last);
    last = message.at;
    if (any_order_) return on_envelope(index);
    queue_.push(message.at.seconds, Happening::envelope, index);
}

inline Transmission Simulation::transmission_of(const Message& message) const {
    return {node_of(message.source), node_of(message.destination), connection_of(message), message.bytes};
}

/// The message meets its receive, waits for one, or is what a probe waits for.
void Simulation::on_envelope(std::uint32_t index) {
    const Message& message = messages_[index];
    const std::uint32_t receive = ranks_[message.destination].matcher.arrive(message.envelope, index);
    if (receive != none) {
        meet(index, receive);
    } else {
        tell_probe(message);
    }
}

/// The same for an eager message that is there as a whole.
[[gnu::flatten]] void Simulation::on_eager(std::uint32_t index, const Stamp& at) {
    Message& message = messages_[index];
    const std::uint32_t receive = ranks_[message.destination].matcher.arrive(message.envelope, index);
    if (receive == none) {
        message.at = at;
        return tell_probe(message);
    }
    Operation& operation = operations_[receive];
    operation.completion_overhead = overhead_of(message, operation, at);
    message.receive = receive;
    deliver(index, operation.done_at.seconds > at.seconds ? operation.done_at : at);
}

void Simulation::tell_probe(const Message& message) {
    RankState& receiver = ranks_[message.destination];
    if (!receiver.probe || !receiver.probe->accepts(message.envelope)) return;
    receiver.probe.reset();
    receiver.actor.now.raise_to(message.at);
    resume_at_its_time(message.destination);
}

/// CPU time that it takes to complete a posted receive by a message that is there, or known, at `at`.
double Simulation::overhead_of(const Message& message, const Operation& receive, const Stamp& at) {
    double overhead = overheads(message.local, message.bytes).receive;
    if (!message.rendezvous && !message.incomplete && at.seconds <= receive.done_at.seconds)
        overhead += static_cast<double>(message.bytes) / options_.fabric.unexpected_copy_bytes_per_second;
    return overhead;
}

void Simulation::on_head(std::uint32_t index, const Stamp& at) {
    Message& message = messages_[index];
    if (message.rendezvous) return;
    message.at = at;
    message.incomplete = true;
    on_envelope(index);
}

void Simulation::on_arrival(std::uint32_t index, const Stamp& at) {
    Message& message = messages_[index];
    if (message.rendezvous) return deliver(index, at);
    if (!message.incomplete) return on_eager(index, at);
    message.at = at;
    message.incomplete = false;
    if (message.receive != none) deliver(index, at);
}

/// A message of one chunk reaches the other node.
[[gnu::flatten]] void Simulation::on_whole(std::uint32_t index) {
    if (!network_.is_plain()) return network_.on_whole(index);
    Stamp changed;
    on_arrival(index, network_.receive_plainly(index, changed));
}

void Simulation::on_left(std::uint32_t index, const Stamp& left) { finish(messages_[index].send, left); }

void Simulation::meet(std::uint32_t index, std::uint32_t receive) {
    Message& message = messages_[index];
    Operation& operation = operations_[receive];
    operation.completion_overhead = overhead_of(message, operation, message.at);
    message.at.raise_to(operation.done_at);
    message.receive = receive;
    if (!message.rendezvous) {
        if (!message.incomplete) deliver(index, message.at);
        return;
    }
    const Stamp noticed = noticed_by(message.destination, message.at);
    if (noticed.seconds <= message.at.seconds) return on_answer(index);
    message.at = noticed;
    queue_.push(noticed.seconds, Happening::answer, index);
}

/// When a rank can do something about what has come: inside MPI at once, else when its next call begins.
Stamp Simulation::noticed_by(std::uint32_t rank, const Stamp& at) const {
    const bool computing = ranks_[rank].actor.event_pending;
    return options_.progress_in_calls_only && computing ? later(at, ranks_[rank].actor.now) : at;
}

/// The receiver answers the request to send; the sender takes the answer and begins.
void Simulation::on_answer(std::uint32_t index) {
    Message& message = messages_[index];
    const PathCosts& costs = path(message.local);
    message.at.add_overhead(costs.receive_overhead.at(control_bytes) + costs.send_overhead.at(control_bytes));
    if (message.local) {
        message.at.add_latency_elsewhere(costs.latency_seconds);
    } else {
        message.at = network_.control(node_of(message.destination), node_of(message.source), message.at);
    }
    message.at.add_overhead(costs.receive_overhead.at(control_bytes));
    if (any_order_) return on_transfer(index);
    queue_.push(message.at.seconds, Happening::transfer, index);
}

/// The data of a rendezvous begins.
void Simulation::on_transfer(std::uint32_t index) {
    Message& message = messages_[index];
    const Stamp noticed = noticed_by(message.source, message.at);
    if (!message.noticed && noticed.seconds > message.at.seconds) {
        message.noticed = true;
        message.at = noticed;
        queue_.push(noticed.seconds, Happening::transfer, index);
        return;
    }
    if (!message.local) {
        Transmission what = transmission_of(message);
        what.tell_when_left = message.send != none;
        if (!any_order_) return network_.send(index, what, message.at);
    }
    Stamp left;
    Stamp at;
    if (message.local) {
        left = at = network_.copy(node_of(message.source), message.bytes, message.at);
        at.add_latency_elsewhere(options_.fabric.intranode.latency_seconds);
    } else {
        network_.carry_alone(transmission_of(message), message.at, at, &left);
    }
    if (message.send != none) finish(message.send, left);
    deliver(index, at);
}

void Simulation::deliver(std::uint32_t index, const Stamp& at) {
    const Message& message = messages_[index];
    const std::uint32_t receive = message.receive;
    if (options_.recording != nullptr)
        options_.recording->message(
            {message.source, message.destination, message.bytes, message.sent_seconds, at.seconds});
    if (message.access != none) return on_data(index, at);
    messages_.release(index);
    finish(receive, at);
}

void Simulation::finish(std::uint32_t index, const Stamp& at) {
    Operation& operation = operations_[index];
    if (operation.detached) {
        operations_.release(index);
        return;
    }
    operation.done = true;
    operation.done_at = at;
    if (operation.actor == none) return;
    const std::uint32_t waiting = operation.actor;
    Actor& actor = actor_at(waiting);
    if (--actor.outstanding > 0) return;
    absorb(actor);
    resume_at_its_time(waiting);
}

bool Simulation::wait_for_operations(Actor& actor, std::uint32_t index) {
    for (const std::uint32_t waited : actor.waiting) {
        Operation& operation = operations_[waited];
        if (operation.done) continue;
        operation.actor = index;
        ++actor.outstanding;
    }
    if (actor.outstanding > 0) return false;
    absorb(actor);
    return true;
}

void Simulation::absorb(Actor& actor) {
    // Completing a receive costs CPU time, so receives are taken in the order of their delivery.
    const auto done = [this](std::uint32_t operation) { return operations_[operation].done_at.seconds; };
    if (actor.waiting.size() > few_operations) {
        std::sort(actor.waiting.begin(), actor.waiting.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return done(a) < done(b); });
    } else {
        // Most stand in this order already.
        std::uint32_t* const first = actor.waiting.data();
        for (std::size_t next = 1; next < actor.waiting.size(); ++next) {
            const std::uint32_t moved = first[next];
            std::size_t place = next;
            for (; place > 0 && done(moved) < done(first[place - 1]); --place)
                first[place] = first[place - 1];
            first[place] = moved;
        }
    }
    for (const std::uint32_t waited : actor.waiting) {
        const Operation& operation = operations_[waited];
        actor.now.raise_to(operation.done_at);
        actor.now.add_overhead(operation.completion_overhead);
        operations_.release(waited);
    }
    actor.waiting.clear();
}

}  // namespace linkworth::replay
