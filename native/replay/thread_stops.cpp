// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Threads of a rank that call MPI at once. Each runs through its own events, and at its stops it waits for
/// others.
#include <algorithm>

#include "replay/simulation.hpp"

namespace linkworth::replay {

const std::map<std::uint32_t, ThreadedRank>& Simulation::threaded_of(const Program& program) const {
    std::size_t number = 0;
    while (&programs_[number] != &program) ++number;
    return threaded_[number];
}

/// Gives each of the rank's threads a state: the first one the rank's own, the others one of their own each.
void Simulation::seat_threads(RankState& home, ThreadedRank& rank) {
    for (std::uint32_t place = 0; place < rank.threads.size(); ++place) {
        if (place > 0) {
            ranks_.emplace_back(*home.program, home.rank, rank_count_++, cursor_memory_);
            ranks_.back().actor.rank = home.seat;
            nodes_.push_back(nodes_[home.seat]);
        }
        RankState& state = place == 0 ? home : ranks_.back();
        rank.seats.push_back(state.seat);
        const ThreadStops& its = rank.threads[place];
        state.thread = std::make_unique<ThreadProgress>();
        state.thread->rank = &rank;
        state.thread->place = place;
        std::vector<tracefile::Pause> pauses;
        for (const ThreadStop& stop : its.stops) pauses.push_back({stop.events, stop.begins});
        state.cursor.only(its.thread, std::move(pauses));
    }
}

/// The cursor shows no event: its thread is at a stop, or at its end. Returns whether there is an event now.
[[gnu::noinline, gnu::cold]] bool Simulation::fetch_after_stop(RankState& state) {
    if (state.actor.finished) return false;
    while (state.thread != nullptr && state.thread->passed < state.thread->stops().size()) {
        ThreadProgress& thread = *state.thread;
        if (thread.reached.size() == thread.passed) {
            thread.reached.push_back(state.actor.now);
            wake_threads(*thread.rank);
        }
        thread.waits = !may_pass(thread);
        if (thread.waits) return false;
        pass_stop(state);
        if (state.cursor.next(state.event)) return true;
    }
    end_rank(state.seat);
    return false;
}

/// The threads that the next stop waits for have come far enough.
bool Simulation::may_pass(const ThreadProgress& thread) const {
    return std::ranges::all_of(thread.stops()[thread.passed].waits, [&](const ThreadWait& wait) {
        return ranks_[thread.rank->seats[wait.place]].thread->reached.size() > wait.stop;
    });
}

/// Continues the thread after the stop, at the time to which the others have brought it, with the data that
/// it takes over from them.
void Simulation::pass_stop(RankState& state) {
    ThreadProgress& thread = *state.thread;
    const ThreadStop& stop = thread.stops()[thread.passed];
    const auto other = [&](std::uint32_t place) -> RankState& { return ranks_[thread.rank->seats[place]]; };
    state.level = other(0).level;
    if (stop.begins && thread.began >= 0) thread.lived_seconds += state.actor.now.seconds - thread.began;
    for (const ThreadWait& wait : stop.waits) {
        Stamp from = other(wait.place).thread->reached[wait.stop];
        const double delay =
            state.program->computation.seconds(state.rank, state.level, state.intervals, wait.delay_seconds);
        // On a node whose ranks slow each other, no computation can begin before it is known to begin.
        from.add_compute(shared_nodes_ ? std::max(delay, 0.0) : delay);
        state.actor.now.raise_to(from);
    }
    if (stop.begins) thread.began = state.actor.now.seconds;
    for (const TakenRequest& taken : stop.taken) {
        RankState& maker = other(taken.place);
        std::uint32_t operation = none;
        if (maker.requests.take(taken.number, operation)) state.requests.insert(taken.number, operation);
        if (auto call = maker.persistent.extract(taken.number)) state.persistent.insert(std::move(call));
        if (auto pair = maker.paired_sends.extract(taken.number)) state.paired_sends.insert(std::move(pair));
    }
    ++thread.passed;
    state.cursor.pass_pause();
}

/// Returns the threads that a rank has at a time, in the mean of the run. The first one lives throughout.
double Simulation::mean_threads(const ThreadedRank& rank, double run_seconds) const {
    double lived = 0;
    for (const std::uint32_t seat : rank.seats) {
        const ThreadProgress& thread = *ranks_[seat].thread;
        lived += thread.lived_seconds;
        if (thread.began >= 0) lived += ranks_[seat].actor.now.seconds - thread.began;
    }
    return run_seconds > 0 ? 1 + lived / run_seconds : static_cast<double>(rank.seats.size());
}

/// Wakes other threads when a thread of the rank has come to a stop: they continue at that moment or later.
void Simulation::wake_threads(const ThreadedRank& rank) {
    for (const std::uint32_t seat : rank.seats) {
        ThreadProgress& thread = *ranks_[seat].thread;
        if (!thread.waits || !may_pass(thread)) continue;
        thread.waits = false;
        double from = ranks_[seat].actor.now.seconds;
        for (const ThreadWait& wait : thread.stops()[thread.passed].waits)
            from = std::max(from, ranks_[rank.seats[wait.place]].thread->reached[wait.stop].seconds);
        queue_.push(from, Happening::resume, seat);
    }
}

/// Returns whether another thread of the actor's rank waits inside a call, so that arrivals are noticed.
bool Simulation::another_thread_waits(const Actor& actor) const {
    const RankState& home = ranks_[actor.rank];
    if (home.thread == nullptr) return false;
    return !home.probes.empty() || std::ranges::any_of(home.thread->rank->seats, [&](std::uint32_t seat) {
        const Actor& other = ranks_[seat].actor;
        return &other != &actor && (other.outstanding > 0 || other.schedule);
    });
}

}  // namespace linkworth::replay
