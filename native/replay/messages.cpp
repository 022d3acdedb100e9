// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The life of a message: posted, announced or sent eagerly, matched, delivered.
#include <algorithm>

#include "replay/posting.hpp"
#include "replay/simulation.hpp"

namespace linkworth::replay {

[[gnu::flatten]] std::uint32_t Simulation::post_send(Actor& actor, const Membership& membership,
                                                     bool collective, std::int32_t peer, std::int32_t tag,
                                                     std::uint64_t bytes, SendMode mode) {
    if (peer == tracefile::proc_null) return none;
    RankState& sender = ranks_[actor.rank];
    Program& program = *sender.program;
    const std::uint32_t destination = program.first_rank + membership.communicator->world_rank(peer);
    const bool local = node_of(actor.rank) == node_of(destination);
    const Path& costs = path(local);
    actor.now.add_overhead(overheads(local, bytes).send);
    sender.last_destination = destination;
    ++program.messages;
    if (!local) program.count_between_nodes(sender.rank, bytes);

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
    message.incomplete = message.noticed = message.announcing = message.answering = false;
    message.rendezvous = mode == SendMode::synchronous || !costs.is_eager(bytes);
    if (!message.rendezvous) {
        send_eagerly(sender, message, index, actor.now);
        return none;
    }
    const std::uint32_t send = mode == SendMode::buffered ? none : operations_.take();
    if (send != none) operations_[send].to_itself = message.to_itself();
    message.send = send;
    announce(sender, message, index, actor.now);
    return send;
}

inline void Simulation::send_eagerly(RankState& sender, Message& message, std::uint32_t index,
                                     const Stamp& now) {
    if (message.local) {
        Stamp envelope = now;
        envelope.add_latency_elsewhere(fabric_.intranode.latency_seconds);
        message.at = network_.copy_between(message.source, message.destination, node_of(message.source),
                                           message.bytes, now);
        message.at.add_latency_elsewhere(fabric_.intranode.latency_seconds +
                                         overheads(true, message.bytes).added_latency);
        envelope.raise_to(sender.last_local_envelope);
        sender.last_local_envelope = envelope;
        if (early_ || message.to_itself()) return on_envelope(index);
        queue_.push(envelope.seconds, Happening::envelope, index);
        return;
    }
    Transmission what = transmission_of(message);
    what.order = &sender.last_link_envelope;
    if (!early_) return network_.send(index, what, now);
    Stamp at;
    network_.carry_alone(what, now, at, nullptr);
    on_eager(index, at);
}

void Simulation::announce(RankState& sender, Message& message, std::uint32_t index, const Stamp& now) {
    require_order_of_calls();
    Stamp& last = message.local ? sender.last_local_envelope : sender.last_link_envelope;
    if (!message.local && network_.is_behind_data(transmission_of(message), message.bytes, now)) {
        Transmission what = transmission_of(message);
        what.bytes = control_bytes;
        what.order = &last;
        message.announcing = true;
        return network_.send_behind_data(index, what, now);
    }
    if (message.local) {
        message.at = now;
        message.at.add_latency_elsewhere(fabric_.intranode.latency_seconds);
    } else {
        message.at = network_.control(transmission_of(message), now);
    }
    message.at.raise_to(last);
    last = message.at;
    if (any_order_) return on_envelope(index);
    if ((early_ || message.to_itself()) && !match(index)) return;
    queue_.push(message.at.seconds, Happening::envelope, index);
}

inline Transmission Simulation::transmission_of(const Message& message) const {
    return {node_of(message.source), node_of(message.destination),
            connection(message.source, message.destination), message.bytes};
}

/// Matches the message with its receive or probe, or makes it wait for one. Returns whether there is a
/// receive.
bool Simulation::match(std::uint32_t index) {
    Message& message = messages_[index];
    message.receive = ranks_[message.destination].matcher.arrive(message.envelope, index);
    if (message.receive == none) {
        wake_probes(message);
        return false;
    }
    operations_[message.receive].to_itself = message.to_itself();
    return true;
}

void Simulation::on_envelope(std::uint32_t index) {
    const std::uint32_t receive = messages_[index].receive;
    if (receive != none || match(index)) meet(index, messages_[index].receive);
}

/// The same for an eager message that has arrived completely.
[[gnu::flatten]] void Simulation::on_eager(std::uint32_t index, const Stamp& at) {
    Message& message = messages_[index];
    const std::uint32_t receive = ranks_[message.destination].matcher.arrive(message.envelope, index);
    if (receive == none) {
        message.at = at;
        return wake_probes(message);
    }
    Operation& operation = operations_[receive];
    operation.completion_overhead = overhead_of(message, operation, at);
    message.receive = receive;
    deliver(index, operation.done_at.seconds > at.seconds ? operation.done_at : at);
}

[[gnu::noinline]] void Simulation::wake_probes(const Message& message) {
    std::vector<Probe>& probes = ranks_[message.destination].probes;
    if (probes.empty()) return;
    // clang 14 does not compile std::ranges::partition of libstdc++ 12.
    const auto woken = std::partition(probes.begin(), probes.end(), [&](const Probe& probe) {
        return !probe.wanted.accepts(message.envelope);
    });
    const std::vector<Probe> found(woken, probes.end());
    probes.erase(woken, probes.end());
    for (const Probe& probe : found) {
        Actor& actor = ranks_[probe.seat].actor;
        actor.now.raise_to(message.at);
        end_progress(actor);
        resume_at_its_time(probe.seat);
    }
}

/// Returns the CPU time of completing a posted receive by a message that arrived, or was announced, at `at`.
double Simulation::overhead_of(const Message& message, const Operation& receive, const Stamp& at) {
    double overhead = overheads(message.local, message.bytes).receive;
    if (!message.rendezvous && !message.incomplete && at.seconds <= receive.done_at.seconds)
        overhead += static_cast<double>(message.bytes) / fabric_.unexpected_copy_bytes_per_second;
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
    if (message.rendezvous)
        return message.announcing || message.answering ? on_control(index, at) : deliver(index, at);
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

void Simulation::meet(std::uint32_t index, std::uint32_t receive, Actor* poster) {
    Message& message = messages_[index];
    Operation& operation = operations_[receive];
    operation.completion_overhead = overhead_of(message, operation, message.at);
    const bool noticed = !message.rendezvous || message.to_itself() ||
                         message.at.seconds <= ranks_[message.destination].progresses_until;
    message.at.raise_to(operation.done_at);
    message.receive = receive;
    if (!message.rendezvous) {
        if (!message.incomplete) deliver(index, message.at);
        return;
    }
    if (noticed) {
        if (poster != nullptr && calls_only_) poster->now.add_overhead(path(message.local).answer_overhead());
        return on_answer(index);
    }
    ranks_[message.destination].late_arrivals.push_back({Happening::answer, index});
}

/// Returns whether the rank, being inside MPI, notices what arrives at `at`. Otherwise keeps it for later.
bool Simulation::notices(std::uint32_t rank, const Stamp& at, Due what) {
    RankState& state = ranks_[rank];
    if (at.seconds <= state.progresses_until) return true;
    state.late_arrivals.push_back(what);
    return false;
}

/// Schedules what has come since the rank last waited inside a call.
void Simulation::progress_late_arrivals(RankState& state, const Stamp& now) {
    for (const Due& due : state.late_arrivals) {
        Stamp& at = due.what == Happening::resume   ? actor_at(due.index).now
                    : due.what == Happening::access ? accesses_[due.index].at
                                                    : messages_[due.index].at;
        at.raise_to(now);
        queue_.push(at.seconds, due.what, due.index);
    }
    state.late_arrivals.clear();
}

/// The receiver answers the request to send.
void Simulation::on_answer(std::uint32_t index) {
    Message& message = messages_[index];
    const Path& costs = path(message.local);
    message.at.add_overhead(costs.answer_overhead());
    if (message.local) {
        message.at.add_latency_elsewhere(costs.latency_seconds);
    } else {
        const Transmission what{node_of(message.destination), node_of(message.source),
                                connection(message.destination, message.source), control_bytes};
        if (network_.is_behind_data(what, message.bytes, message.at)) {
            message.answering = true;
            return network_.send_behind_data(index, what, message.at);
        }
        message.at = network_.control(what, message.at);
    }
    on_control(index, message.at);
}

/// Handles the arrival of a message without data: a request to send, or the answer that starts the sender's
/// transfer.
void Simulation::on_control(std::uint32_t index, const Stamp& at) {
    Message& message = messages_[index];
    message.at = at;
    if (std::exchange(message.announcing, false)) return queue_.push(at.seconds, Happening::envelope, index);
    message.answering = false;
    message.at.add_overhead(path(message.local).receive_overhead.at(control_bytes));
    if (any_order_) return on_transfer(index);
    queue_.push(message.at.seconds, Happening::transfer, index);
}

/// The data of a rendezvous begins.
void Simulation::on_transfer(std::uint32_t index) {
    Message& message = messages_[index];
    if (!message.noticed && !message.to_itself() &&
        !notices(message.source, message.at, {Happening::transfer, index}))
        return;
    Stamp left;
    Stamp at;
    if (message.local) {
        left = at = network_.copy_between(message.source, message.destination, node_of(message.source),
                                          message.bytes, message.at, overheads(true, message.bytes).receive);
        at.add_latency_elsewhere(fabric_.intranode.latency_seconds +
                                 overheads(true, message.bytes).added_latency);
    } else {
        Transmission what = transmission_of(message);
        if (message.send != none && network_.fits_socket_buffer(what, message.at))
            finish(std::exchange(message.send, none), message.at);
        what.report_when_left = message.send != none;
        if (!early_ || (!any_order_ && message.access != none)) return network_.send(index, what, message.at);
        network_.carry_alone(what, message.at, at, &left);
    }
    if (message.send != none) finish(message.send, left);
    deliver(index, at);
}

void Simulation::deliver(std::uint32_t index, const Stamp& at) {
    const Message& message = messages_[index];
    const std::uint32_t receive = message.receive;
    if (recording_ != nullptr)
        recording_->message(
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
    if (waiting < rank_count()) end_progress(actor);
    resume_at_its_time(waiting);
}

/// Returns whether the actor still waits for another rank. A rank copies its messages to itself in their
/// calls, and no MPI but MPICH 4.0 looks at its connections meanwhile.
bool Simulation::takes_time(const Actor& actor) const {
    return std::ranges::any_of(actor.waiting, [&](std::uint32_t waited) {
        const Operation& operation = operations_[waited];
        return !operation.to_itself && (!operation.done || operation.done_at.seconds > actor.now.seconds);
    });
}

bool Simulation::wait_for_operations(Actor& actor, std::uint32_t index) {
    for (const std::uint32_t waited : actor.waiting) {
        Operation& operation = operations_[waited];
        operation.actor = index;
        actor.outstanding += operation.done ? 0 : 1;
    }
    const bool notices = calls_only_ && index < rank_count() && takes_time(actor);
    if (notices) begin_progress(actor);
    if (actor.outstanding > 0) return false;
    absorb(actor);
    if (notices) end_progress(actor);
    return true;
}

/// Orders completed operations as the rank completes them.
/// A receive costs CPU time, so receives go in the order of their delivery. A send that is done at the same
/// moment delays none and comes after them.
[[gnu::noinline]] void Simulation::sort_by_delivery(std::vector<std::uint32_t>& waiting) const {
    const auto sooner = [this](std::uint32_t a, std::uint32_t b) {
        const Operation &one = operations_[a], &other = operations_[b];
        if (one.done_at.seconds != other.done_at.seconds) return one.done_at.seconds < other.done_at.seconds;
        return one.completion_overhead > other.completion_overhead;
    };
    std::sort(waiting.begin(), waiting.end(), sooner);
}

void Simulation::absorb(Actor& actor) {
    if (actor.waiting.size() > 1) sort_by_delivery(actor.waiting);
    for (const std::uint32_t waited : actor.waiting) {
        const Operation& operation = operations_[waited];
        actor.now.raise_to(operation.done_at);
        actor.now.add_overhead(operation.completion_overhead);
        operations_.release(waited);
    }
    actor.waiting.clear();
}

}  // namespace linkworth::replay
