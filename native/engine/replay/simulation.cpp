// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/simulation.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace linkworth::replay {
namespace {

using tracefile::Event;

/// Messages that wait at one rank before their senders let others go first.
constexpr std::uint32_t most_unexpected = 256;

std::uint32_t count_nodes(const std::vector<std::uint32_t>& node_of_rank) {
    const auto last = std::max_element(node_of_rank.begin(), node_of_rank.end());
    return last == node_of_rank.end() ? 0 : *last + 1;
}

}  // namespace

Simulation::Simulation(const tracefile::Trace& trace, const ReplayOptions& options, bool any_order)
    : trace_(trace),
      options_(options),
      names_(describe_names(trace.names())),
      any_order_(any_order),
      network_(options.fabric, count_nodes(options.node_of_rank), queue_, *this,
               options.recording != nullptr),
      computation_(options.computation),
      communicators_(trace.ranks()),
      actors_(trace.ranks()),
      region_(trace.ranks()),
      passed_(trace.names().size()) {
    if (options.node_of_rank.size() != trace.ranks())
        throw ReplayError("the placement has " + std::to_string(options.node_of_rank.size()) +
                          " ranks, but the trace has " + std::to_string(trace.ranks()));
    ranks_.reserve(trace.ranks());
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        ranks_.emplace_back(trace.cursor(rank));
        actors_[rank].rank = rank;
    }
}

ReplayResult Simulation::run() {
    for (std::uint32_t rank = 0; rank < trace_.ranks(); ++rank) resume_at_its_time(rank);
    if (any_order_) {
        run_in_any_order();
    } else {
        run_in_time_order();
    }
    return result();
}

void Simulation::run_in_any_order() {
    while (!runnable_.empty()) {
        const std::uint32_t actor = runnable_.front();
        runnable_.pop_front();
        resume(actor);
    }
}

void Simulation::run_in_time_order() {
    while (!queue_.empty()) {
        const QueueEntry entry = queue_.pop();
        switch (entry.what) {
            case Happening::resume:
                resume(entry.index);
                break;
            case Happening::envelope:
                on_envelope(entry.index);
                break;
            case Happening::answer:
                on_answer(entry.index);
                break;
            case Happening::transfer:
                on_transfer(entry.index);
                break;
            case Happening::whole:
                network_.on_whole(entry.index);
                break;
            case Happening::parcel:
                network_.on_parcel(entry.index);
                break;
            case Happening::port:
                network_.on_port(entry.index);
                break;
        }
    }
}

void Simulation::resume_at_its_time(std::uint32_t actor) {
    if (any_order_) {
        runnable_.push_back(actor);
    } else {
        queue_.push(actors_[actor].now.seconds, Happening::resume, actor);
    }
}

void Simulation::resume(std::uint32_t index) {
    Actor& actor = actors_[index];
    if (index >= trace_.ranks() && !std::exchange(actor.noticed, false)) {
        const Stamp noticed = noticed_by(actor.rank, actor.now);
        if (noticed.seconds > actor.now.seconds) {
            actor.now = noticed;
            actor.noticed = true;
            resume_at_its_time(index);
            return;
        }
    }
    if (actor.schedule && !run_schedule(index)) return;
    if (index < trace_.ranks()) run_rank(index);
}

void Simulation::run_rank(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    for (;;) {
        if (!state.event_pending && !fetch(rank)) return;
        if (too_early(actors_[rank])) {
            resume_at_its_time(rank);
            return;
        }
        state.event_pending = false;
        state.call_started = actors_[rank].now.seconds;
        if (!execute(rank)) return;
        if (any_order_ && leads_too_far(state)) {
            resume_at_its_time(rank);
            return;
        }
    }
}

/// A sender that never waits would put its whole trace into memory: it lets others go first.
bool Simulation::leads_too_far(RankState& state) const {
    const std::uint32_t destination = std::exchange(state.last_destination, none);
    return destination != none && !runnable_.empty() &&
           ranks_[destination].matcher.unexpected() > most_unexpected;
}

/// Takes the rank's next event and lets its computation pass. False at the end of the trace.
bool Simulation::fetch(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    Event& event = state.event;
    if (options_.recording != nullptr) record_call_end(rank);
    if (state.finished || !state.cursor.next(event)) {
        if (!state.finished) end_rank(rank);
        return false;
    }
    state.event_pending = true;
    double compute =
        computation_.seconds(rank, state.level, state.intervals++, RecordedComputation::recorded(event));
    compute = state.computation.counted(event, compute);
    if (compute > 0) {
        actors_[rank].now.add_compute(compute);
        region_.compute(rank, compute);
    }
    return true;
}

void Simulation::record_call_end(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    const double started = std::exchange(state.call_started, -1);
    if (started < 0 || state.finished) return;
    options_.recording->call({rank, state.call_name, started, actors_[rank].now.seconds});
}

/// Goes on with a collective. True when it has ended.
bool Simulation::run_schedule(std::uint32_t index) {
    Actor& actor = actors_[index];
    const std::uint32_t first_tag = actor.membership.collectives * lanes & 0x7fffffffU;
    for (;;) {
        if (!actor.step_pending && !actor.schedule.next(actor.step)) break;
        actor.step_pending = true;
        if (too_early(actor)) {
            resume_at_its_time(index);
            return false;
        }
        actor.step_pending = false;
        const auto peer = static_cast<std::int32_t>(actor.step.peer);
        const auto tag = static_cast<std::int32_t>(first_tag + actor.lane);
        std::uint32_t operation = none;
        if (actor.ahead_due) {
            actor.waiting.insert(actor.waiting.end(), actor.ahead.begin(), actor.ahead.end());
            actor.ahead.clear();
            actor.ahead_due = false;
        }
        switch (actor.step.kind) {
            case StepKind::send:
                operation =
                    post_send(actor, actor.membership, true, peer, tag, actor.step.bytes, SendMode::standard);
                break;
            case StepKind::recv:
                operation = post_receive(actor, actor.membership, true, peer, tag);
                break;
            case StepKind::recv_ahead:
                actor.ahead.push_back(post_receive(actor, actor.membership, true, peer, tag));
                break;
            case StepKind::combine:
                actor.now.add_overhead(static_cast<double>(actor.step.bytes) /
                                       options_.combine_bytes_per_second);
                break;
            case StepKind::start:
                actor.started.push_back(
                    begin_schedule(actor, actor.schedule.take_started(), actor.step.lane));
                break;
            case StepKind::join:
                actor.waiting.insert(actor.waiting.end(), actor.started.begin(), actor.started.end());
                actor.started.clear();
                if (!wait_for_operations(index)) return false;
                break;
            case StepKind::wait:
                actor.ahead_due = !actor.ahead.empty();
                if (!wait_for_operations(index)) return false;
                break;
        }
        if (operation != none) actor.waiting.push_back(operation);
    }
    actor.schedule.clear();
    if (actor.request != none) {
        const std::uint32_t request = std::exchange(actor.request, none);
        const Stamp end = actor.now;
        idle_actors_.push_back(index);
        finish(request, end);
    }
    return true;
}

void Simulation::end_rank(std::uint32_t rank) {
    ranks_[rank].finished = true;
    region_.leave(rank, actors_[rank].now);
}

ReplayResult Simulation::result() {
    ReplayResult result;
    report_blocked(result);
    Stamp end;
    for (std::uint32_t rank = 0; rank < trace_.ranks(); ++rank) {
        region_.leave(rank, actors_[rank].now);
        end.raise_to(actors_[rank].now);
    }
    if (region_.marked()) end = region_.total();
    result.marked_region = region_.marked();
    result.seconds = end.seconds;
    result.compute_seconds = end.compute;
    result.overhead_seconds = end.overhead;
    result.latency_seconds = end.link_latency + end.local_latency;
    result.bandwidth_seconds = end.link_bandwidth + end.local_bandwidth;
    result.wait_seconds = end.wait;
    result.link_latency_seconds = end.link_latency;
    result.link_bandwidth_seconds = end.link_bandwidth;
    result.internode_bytes = internode_bytes_;
    result.messages = message_count_;
    result.events = event_count_;
    result.rank_compute_seconds = region_.rank_compute();
    if (options_.recording != nullptr) options_.recording->loads = network_.loads();
    for (std::size_t name = 0; name < passed_.size(); ++name)
        if (passed_[name] > 0) result.unmodelled[trace_.names()[name]] = passed_[name];
    return result;
}

void Simulation::report_blocked(ReplayResult& result) const {
    for (std::uint32_t rank = 0; rank < trace_.ranks(); ++rank) {
        const RankState& state = ranks_[rank];
        if (state.finished) continue;
        result.stopped.push_back("rank " + std::to_string(rank) + " stops in " +
                                 trace_.names()[state.call_name] +
                                 ", which waits for a message that the trace does not hold");
    }
    if (!result.stopped.empty() && !options_.tolerate_cut)
        throw ReplayError(result.stopped.front() + "; record the program again");
}

ReplayResult replay(const tracefile::Trace& trace, const ReplayOptions& options) {
    try {
        if (!options.fabric.contention && !options.progress_in_calls_only) {
            try {
                return Simulation(trace, options, true).run();
            } catch (const OrderMatters&) {
                return Simulation(trace, options, false).run();
            }
        }
        return Simulation(trace, options, false).run();
    } catch (const std::logic_error& impossible) {
        throw ReplayError(std::string("the trace holds what no MPI program can do (") + impossible.what() +
                          "); it is damaged: record the program again");
    }
}

}  // namespace linkworth::replay
