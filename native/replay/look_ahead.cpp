// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Prefetches what the next happenings need, while others run. With many ranks, a happening would otherwise
/// wait for nearly every line of the cache that it touches.
#include <algorithm>

#include "replay/posting.hpp"
#include "replay/simulation.hpp"

namespace linkworth::replay {
namespace {

using tracefile::CallClass;
using tracefile::prefetch_line;

// A happening names some state, which points to more, and so on. Each stage prefetches what the previous one
// has made known, this many happenings ahead.
constexpr std::uint32_t named_ahead = 7;
constexpr std::uint32_t around_ahead = 5;
constexpr std::uint32_t counterparts_ahead = 3;
constexpr std::uint32_t completed_ahead = 1;
static_assert(named_ahead < EventQueue::look_ahead);

constexpr std::size_t of_every_actor_bytes = 2 * cache_line_bytes;
/// Events to prefetch for a rank whose turn comes. It runs until a call takes time.
constexpr std::uint32_t events_ahead = 5;
/// Operations to prefetch for a call that completes many requests.
constexpr std::size_t completions_ahead = 8;

}  // namespace

void Simulation::look_ahead() const {
    const std::uint32_t known = queue_.known();
    if (known <= named_ahead) return;
    prefetch_named(queue_.next(named_ahead));
    prefetch_around(queue_.next(around_ahead));
    prefetch_counterparts(queue_.next(counterparts_ahead));
    prefetch_completed(queue_.next(completed_ahead));
}

/// The state that the happening names.
void Simulation::prefetch_named(const Due& due) const {
    switch (due.what) {
        case Happening::resume: {
            if (due.index >= rank_count()) return;
            const RankState& state = ranks_[due.index];
            prefetch_lines(&state, of_every_actor_bytes);
            const auto* const begin = reinterpret_cast<const char*>(&state.event);
            const auto* const queues = reinterpret_cast<const char*>(&state.matcher);
            prefetch_lines(begin, static_cast<std::size_t>(queues - begin) + 2 * cache_line_bytes);
            prefetch_line(&state.last_local_envelope);
            return;
        }
        case Happening::whole:
            network_.prefetch(due.index);
            messages_.prefetch(due.index);
            return;
        case Happening::envelope:
        case Happening::answer:
        case Happening::transfer: messages_.prefetch(due.index); return;
        case Happening::parcel: network_.prefetch_parcel(due.index); return;
        case Happening::port: network_.prefetch_port(due.index); return;
        case Happening::access:
        case Happening::computes:
        case Happening::computed: return;
    }
}

/// Prefetches the data that this state points to.
void Simulation::prefetch_around(const Due& due) const {
    switch (due.what) {
        case Happening::resume: {
            if (due.index >= rank_count()) return;
            const RankState& state = ranks_[due.index];
            state.cursor.prefetch_rows(events_ahead);
            state.requests.prefetch(state.event.next_request);
            if (state.actor.event_pending) prefetch_line(state.event.shape);
            state.program->communicators.prefetch(state.rank);
            network_.prefetch_sender(node_of(due.index));
            return;
        }
        case Happening::whole: network_.prefetch_receiver(due.index); [[fallthrough]];
        case Happening::envelope: {
            const RankState& receiver = ranks_[messages_[due.index].destination];
            prefetch_lines(&receiver.matcher, 2 * cache_line_bytes);
            prefetch_line(&receiver.actor.outstanding);
            return;
        }
        case Happening::transfer: {
            const Message& message = messages_[due.index];
            if (message.send != none) operations_.prefetch(message.send);
            if (message.receive != none) operations_.prefetch(message.receive);
            prefetch_line(&ranks_[message.source].actor.event_pending);
            return;
        }
        case Happening::parcel:
            network_.prefetch(network_.message_of_parcel(due.index));
            messages_.prefetch(network_.message_of_parcel(due.index));
            return;
        case Happening::port: network_.prefetch_turn(due.index); return;
        case Happening::answer:
        case Happening::access:
        case Happening::computes:
        case Happening::computed: return;
    }
}

/// Whom that meets: the operations that messages end, and the actors that wait for these.
void Simulation::prefetch_counterparts(const Due& due) const {
    switch (due.what) {
        case Happening::resume: {
            if (due.index >= rank_count()) return;
            const RankState& state = ranks_[due.index];
            if (!state.actor.event_pending) return state.cursor.prefetch_shapes(1);
            const tracefile::Shape& shape = *state.event.shape;
            // A send takes time, and others have their turn after it.
            state.cursor.prefetch_shapes(shape.call_class == CallClass::isend ? 1 : events_ahead);
            const std::size_t completions = std::min(shape.completions.size(), completions_ahead);
            prefetch_lines(shape.completions.data(), completions * sizeof(tracefile::Completion));
            return;
        }
        case Happening::whole:
        case Happening::envelope: {
            const Message& message = messages_[due.index];
            const std::uint32_t receive = ranks_[message.destination].matcher.foresee(message.envelope);
            if (receive != none) operations_.prefetch(receive);
            prefetch_line(ranks_[message.destination].actor.waiting.data());
            return;
        }
        case Happening::transfer: {
            const Message& message = messages_[due.index];
            if (message.send != none) prefetch_waiting(message.send);
            if (message.receive != none) prefetch_waiting(message.receive);
            return;
        }
        case Happening::parcel: network_.prefetch_receiver(network_.message_of_parcel(due.index)); return;
        case Happening::answer:
        case Happening::port:
        case Happening::access:
        case Happening::computes:
        case Happening::computed: return;
    }
}

/// The operations that a call completes, or that an actor has waited for when the last one ends.
void Simulation::prefetch_completed(const Due& due) const {
    switch (due.what) {
        case Happening::resume: {
            if (due.index >= rank_count()) return;
            const RankState& state = ranks_[due.index];
            if (!state.actor.event_pending) return;
            const auto& completions = state.event.shape->completions;
            for (std::size_t place = 0; place < std::min(completions.size(), completions_ahead); ++place) {
                std::uint32_t operation = none;
                if (state.requests.find(state.event.next_request - completions[place].reference, operation) &&
                    operation != none)
                    operations_.prefetch(operation);
            }
            return;
        }
        case Happening::whole: return prefetch_absorbed(ranks_[messages_[due.index].destination].actor);
        case Happening::transfer:
            if (messages_[due.index].send != none)
                prefetch_absorbed(ranks_[messages_[due.index].source].actor);
            return prefetch_absorbed(ranks_[messages_[due.index].destination].actor);
        default: return;
    }
}

/// Prefetches the operations that the actor waited for, if one of them is left.
void Simulation::prefetch_absorbed(const Actor& actor) const {
    if (actor.outstanding != 1) return;
    const std::size_t waiting = std::min(actor.waiting.size(), completions_ahead);
    for (std::size_t place = 0; place < waiting; ++place) operations_.prefetch(actor.waiting[place]);
}

/// The actor that waits for an operation.
void Simulation::prefetch_waiting(std::uint32_t operation) const {
    const std::uint32_t waiting = operations_[operation].actor;
    if (waiting < rank_count()) prefetch_lines(&ranks_[waiting], of_every_actor_bytes);
}

}  // namespace linkworth::replay
