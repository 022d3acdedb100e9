// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/threads.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "trace/thread_times.hpp"
#include "trace/thread_turns.hpp"

namespace linkworth::replay {
namespace {

using tracefile::CallClass;
using tracefile::Event;
using tracefile::Shape;

/// Between shorter gaps and idle ones there is no telling.
constexpr double shortest_idle_seconds = 10e-6;
/// A thread was idle in a gap if it computed for less than this part of it. A thread that shares its core
/// with a few others gets more.
constexpr double idle_share = 0.1;

/// If another thread of a rank called so often, and no call began inside another's, that is no chance.
constexpr std::uint64_t fewest_changes = 32;

/// A trace rounds times to 32 ns (docs/reference/trace-format.md).
constexpr double time_error_seconds = 64e-9;

constexpr std::uint32_t first_thread = 0;  ///< its place

/// Threads make these calls of one request at once.
bool shares_request(CallClass kind) {
    return kind == CallClass::pready || kind == CallClass::pready_list || kind == CallClass::parrived;
}

bool uses_window(CallClass kind) {
    return kind == CallClass::win_free || kind == CallClass::rma || kind == CallClass::irma ||
           kind == CallClass::win_sync;
}

/// A program orders such calls on one communicator itself, also if its threads take turns in them.
bool is_ordered(CallClass kind) {
    return tracefile::is_collective(kind) || kind == CallClass::comm_new || kind == CallClass::icomm_new ||
           kind == CallClass::comm_free || kind == CallClass::win_new;
}

/// Moment after a number of events of a thread.
struct Moment {
    std::uint32_t place = 0;
    std::uint64_t events = 0;
};

/// A call of a thread, with the gap before it.
struct ThreadCall {
    std::uint32_t place = 0;
    std::uint64_t number = 0;  ///< of the thread
    double start = 0;
    double previous_end = 0;  ///< of the thread's call before it; negative for its first
    double computed = 0;      ///< seconds in the gap
};

class ThreadScan {
  public:
    /// `in_order`: each call waits for the one before it.
    explicit ThreadScan(bool in_order) : in_order_(in_order) { place_of(0); }

    void take(const Event& event) {
        const std::uint32_t place = place_of(event.thread);
        const auto times = clock_.next(event.gap_seconds, event.duration_seconds, event.overlap_seconds);
        const double previous = threads_[place].ends.empty() ? -1 : threads_[place].ends.back();
        const auto gap =
            tracefile::thread_gap(times.start, std::max(0.0, previous), event.gap_seconds, event.cpu_seconds);
        has_cpu_times_ |= event.cpu_seconds >= 0;
        ThreadCall call{place, threads_[place].ends.size(), times.start, previous, gap.computed_seconds()};
        in_order_ ? wait_for_the_call_before(call, gap) : wait_outside_mpi(call, gap);
        wait_for_what_it_uses(call, event);
        note_what_it_makes(call, event);
        threads_[place].ends.push_back(times.end);
        latest_ = {place, threads_[place].ends.size()};
        if (place == first_thread) first_thread_calls_.push_back(call);
    }

    std::vector<ThreadStops> finish() {
        for (std::uint32_t place = 1; place < threads_.size() && !in_order_; ++place)
            wait_for_the_last_call(place);
        std::vector<ThreadStops> result;
        for (std::uint32_t place = 0; place < threads_.size(); ++place) {
            ThreadStops& of_thread = result.emplace_back(ThreadStops{numbers_[place], {}});
            for (auto& [events, stop] : threads_[place].stops) {
                ThreadStop& made =
                    of_thread.stops.emplace_back(ThreadStop{events, stop.begins, {}, std::move(stop.taken)});
                for (const Wait& wait : stop.waits)
                    made.waits.push_back({wait.until.place, number_of(wait.until), wait.delay_seconds});
            }
        }
        return result;
    }

  private:
    struct Wait {
        Moment until;
        double delay_seconds = 0;
    };
    struct Stop {
        bool begins = false;
        std::vector<Wait> waits;
        std::vector<TakenRequest> taken;
    };
    struct Thread {
        std::vector<double> ends;             ///< of its calls
        std::map<std::uint64_t, Stop> stops;  ///< by the events before them
        std::vector<std::uint64_t> waited;    ///< [place] events of the other that it has waited for

        /// Its calls that had ended by then.
        std::uint64_t ended_by(double moment) const {
            return static_cast<std::uint64_t>(std::ranges::upper_bound(ends, moment) - ends.begin());
        }
    };
    /// [place] events of the thread after its last use
    using LastUses = std::map<std::uint32_t, std::uint64_t>;
    struct Request {
        Moment last_use;
        bool persistent = false;
        LastUses shared;  ///< since the last use: threads made partitions ready, or asked for them
        std::array<Moment, 2> earlier{};  ///< uses before the last one, the later first
    };
    /// A communicator or a window.
    struct Shared {
        Moment made;
        LastUses last_uses;
    };

    std::uint32_t place_of(std::uint32_t thread) {
        const auto [found, is_new] = places_.try_emplace(thread, static_cast<std::uint32_t>(threads_.size()));
        if (is_new) {
            threads_.emplace_back();
            numbers_.push_back(thread);
        }
        return found->second;
    }

    std::size_t number_of(const Moment& moment) const {
        const auto& stops = threads_[moment.place].stops;
        return static_cast<std::size_t>(std::distance(stops.begin(), stops.find(moment.events)));
    }

    double end_of(const Moment& moment) const { return threads_[moment.place].ends[moment.events - 1]; }

    void wait(const ThreadCall& call, const Moment& until, double delay_seconds) {
        std::vector<std::uint64_t>& waited = threads_[call.place].waited;
        if (waited.size() <= until.place) waited.resize(until.place + std::size_t{1});
        if (waited[until.place] >= until.events) return;
        waited[until.place] = until.events;
        threads_[call.place].stops[call.number].waits.push_back({until, delay_seconds});
        threads_[until.place].stops.try_emplace(until.events);
    }

    /// Returns the last use before the call. A thread may record that a partition is ready after another one
    /// has completed its round and started the next.
    const Moment& use_before(const Request& request, const ThreadCall& call) const {
        if (end_of(request.last_use) <= call.start + time_error_seconds) return request.last_use;
        for (const Moment& use : request.earlier)
            if (use.events > 0 && end_of(use) <= call.start + time_error_seconds) return use;
        return request.last_use;
    }

    /// Returns the rest of the gap after `end`, less all computation of the thread in the gap.
    static double delay(const ThreadCall& call, double end) {
        return end > call.previous_end ? call.start - end - call.computed : 0;
    }

    /// A thread that begins has no CPU time, even if it reuses a number.
    bool begins(const ThreadCall& call, const tracefile::ThreadGap& gap) const {
        if (call.place == first_thread) return false;
        return call.number == 0 ||
               (gap.seconds > shortest_idle_seconds && gap.cpu_seconds < 0 && has_cpu_times_);
    }

    void begin(ThreadCall& call) {
        call.computed = 0;
        threads_[call.place].stops[call.number].begins = true;
    }

    /// All that precedes the first call of a thread that begins happens after the call before it.
    void wait_for_the_call_before(ThreadCall& call, const tracefile::ThreadGap& gap) {
        const bool begins_now = begins(call, gap);
        if (begins_now) begin(call);
        if (latest_.events == 0 || (latest_.place == call.place && !begins_now)) return;
        wait(call, latest_, begins_now ? delay(call, end_of(latest_)) : 0);
    }

    void wait_outside_mpi(ThreadCall& call, const tracefile::ThreadGap& gap) {
        std::vector<Moment> ended;  // by others in the gap
        double latest = -1;
        const auto look_at = [&](std::uint32_t place) {
            const Moment moment{place, threads_[place].ended_by(call.start)};
            if (moment.events == 0 || end_of(moment) <= call.previous_end) return;
            ended.push_back(moment);
            latest = std::max(latest, end_of(moment));
        };
        const bool idle = gap.seconds > shortest_idle_seconds && gap.cpu_seconds >= 0 &&
                          gap.cpu_seconds < idle_share * gap.seconds;
        if (call.place != first_thread)
            look_at(first_thread);
        else if (idle)
            for (std::uint32_t place = 1; place < threads_.size(); ++place) look_at(place);
        const bool begins_now = begins(call, gap) && (call.number == 0 || !ended.empty());
        if (!begins_now && !idle) return;
        if (begins_now) begin(call);
        for (const Moment& moment : ended) wait(call, moment, delay(call, latest));
    }

    void wait_for_the_last_call(std::uint32_t place) {
        const Moment last{place, threads_[place].ends.size()};
        const auto next = std::ranges::lower_bound(first_thread_calls_, end_of(last), {}, &ThreadCall::start);
        if (next != first_thread_calls_.end()) wait(*next, last, delay(*next, end_of(last)));
    }

    void wait_for_what_it_uses(const ThreadCall& call, const Event& event) {
        const Shape& shape = *event.shape;
        const auto wait_for = [&](const Moment& made) {
            if (made.place != call.place) wait(call, made, delay(call, end_of(made)));
        };
        const auto use_shared = [&](std::unordered_map<std::int32_t, Shared>& known, std::int32_t number,
                                    bool frees) {
            const auto found = known.find(number);
            if (found == known.end()) return;
            Shared& shared = found->second;
            wait_for(shared.made);
            // A thread frees what others use once it has joined them, even if nothing shows it idle.
            if (frees)
                for (const auto& [place, events] : shared.last_uses) wait_for({place, events});
            shared.last_uses[call.place] = call.number + 1;
        };
        const auto wait_for_the_last = [&](auto& last_calls, const auto& key) {
            const Moment made{call.place, call.number + 1};
            const auto [last, is_first] = last_calls.try_emplace(key, made);
            // Threads may make communicators of different groups at once.
            if (!is_first && end_of(last->second) <= call.start) wait_for(last->second);
            last->second = made;
        };
        use_shared(communicators_, shape.comm, shape.call_class == CallClass::comm_free);
        if (is_ordered(shape.call_class)) wait_for_the_last(last_ordered_, shape.comm);
        // Ranks know which one it is by its place among those of the same groups (Communicators).
        if (shape.call_class == CallClass::comm_new && shape.inter)
            wait_for_the_last(last_between_, std::pair{shape.members, shape.remote_members});
        if (uses_window(shape.call_class))
            use_shared(windows_, shape.window, shape.call_class == CallClass::win_free);
        const auto use = [&](std::uint64_t reference, bool ends) {
            const auto found = requests_.find(event.next_request - reference);
            if (found == requests_.end()) return;
            Request& request = found->second;
            if (shares_request(shape.call_class)) {
                wait_for(use_before(request, call));
                request.shared[call.place] = call.number + 1;
                return;
            }
            wait_for(request.last_use);
            for (const auto& [place, events] : std::exchange(request.shared, {})) wait_for({place, events});
            if (request.last_use.place != call.place) {
                threads_[call.place].stops[call.number].taken.push_back(
                    {request.last_use.place, found->first});
            }
            request.earlier = {request.last_use, request.earlier[0]};
            request.last_use = {call.place, call.number + 1};
            if (ends) requests_.erase(found);
        };
        for (const auto& completion : shape.completions) {
            const auto found = requests_.find(event.next_request - completion.reference);
            use(completion.reference, found != requests_.end() && !found->second.persistent);
        }
        for (const std::uint64_t reference : shape.references)
            use(reference, shape.call_class == CallClass::request_free);
    }

    void note_what_it_makes(const ThreadCall& call, const Event& event) {
        const Shape& shape = *event.shape;
        const Moment made{call.place, call.number + 1};
        if (tracefile::makes_request(shape.call_class))
            requests_[event.next_request] = {made, makes_persistent_request(shape.call_class), {}, {}};
        const bool makes_communicator =
            shape.call_class == CallClass::comm_new || shape.call_class == CallClass::icomm_new;
        if (makes_communicator && shape.new_comm >= 0) communicators_[shape.new_comm] = {made, {}};
        if (shape.call_class == CallClass::win_new && shape.new_window >= 0)
            windows_[shape.new_window] = {made, {}};
    }

    tracefile::StreamClock clock_;
    std::vector<Thread> threads_;  ///< by place
    std::vector<std::uint32_t> numbers_;
    std::unordered_map<std::uint32_t, std::uint32_t> places_;
    std::vector<ThreadCall> first_thread_calls_;
    std::unordered_map<std::uint64_t, Request> requests_;
    std::unordered_map<std::int32_t, Shared> communicators_;
    std::unordered_map<std::int32_t, Shared> windows_;
    std::unordered_map<std::int32_t, Moment> last_ordered_;  ///< [communicator]
    /// Latest call that made an inter-communicator of these groups.
    std::map<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>, Moment> last_between_;
    Moment latest_;  ///< call before, of any thread
    bool in_order_;
    bool has_cpu_times_ = false;
};

}  // namespace

bool has_threads(const tracefile::Trace& trace, std::uint32_t rank) {
    tracefile::RankCursor cursor = trace.cursor(rank);
    Event event;
    while (cursor.next(event))
        if (event.thread != 0) return true;
    return false;
}

ThreadOrder order_of_threads(const tracefile::Trace& trace) {
    std::uint64_t changes = 0;
    bool several = false, at_once = false;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        if (!has_threads(trace, rank)) continue;
        several = true;
        tracefile::RankCursor cursor = trace.cursor(rank);
        tracefile::ThreadTurns turns;
        Event event;
        while (cursor.next(event)) turns.take(event);
        if (turns.overlaps()) return ThreadOrder::open;
        changes += turns.changes();
        at_once |= turns.at_once();
    }
    if (!several) return ThreadOrder::single;
    if (changes < fewest_changes) return ThreadOrder::open;
    return at_once ? ThreadOrder::of_calls : ThreadOrder::turns;
}

std::vector<ThreadStops> find_threads(const tracefile::Trace& trace, std::uint32_t rank, ThreadOrder order) {
    if (!has_threads(trace, rank)) return {};
    tracefile::RankCursor cursor = trace.cursor(rank);
    ThreadScan scan(order != ThreadOrder::open);
    Event event;
    while (cursor.next(event)) scan.take(event);
    return scan.finish();
}

}  // namespace linkworth::replay
