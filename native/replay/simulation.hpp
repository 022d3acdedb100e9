// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The discrete-event simulation: ranks as actors that run their traces, messages that cross the network.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "calls/large_pages.hpp"
#include "calls/matcher.hpp"
#include "calls/pool.hpp"
#include "calls/request_table.hpp"
#include "calls/schedule.hpp"
#include "replay/access.hpp"
#include "replay/by_size.hpp"
#include "replay/event_queue.hpp"
#include "replay/network.hpp"
#include "replay/program.hpp"
#include "replay/recorded_computation.hpp"
#include "replay/replay.hpp"
#include "replay/shared_nodes.hpp"
#include "replay/stamp.hpp"
#include "replay/threads.hpp"
#include "trace/trace.hpp"
#include "trace/wildcards.hpp"

namespace linkworth::replay {

/// A posted receive, a send that waits for its receiver, or a non-blocking collective in flight.
struct Operation {
    Stamp done_at;                   ///< until it is `done`: when it was posted (receives)
    double completion_overhead = 0;  ///< CPU time that completing it costs its rank
    std::uint32_t actor = none;      ///< the actor that waits for it now
    Envelope envelope;               ///< of a receive
    bool is_receive = false;
    bool done = false;
    bool detached = false;   ///< nobody will wait for it
    bool to_itself = false;  ///< the message is from the rank to the same rank
};

/// A message on its way. A rendezvous message is first its request to send, then its data.
struct Message {
    Stamp at;  ///< when its data (of a rendezvous: what is under way of it) is in the receiver's memory
    Envelope envelope;
    std::uint32_t source = 0;  ///< world ranks
    std::uint32_t destination = 0;
    std::uint64_t bytes = 0;
    double sent_seconds = 0;
    std::uint32_t send = none;     ///< the sender's operation that ends when the data has left (rendezvous)
    std::uint32_t receive = none;  ///< set when a rendezvous has met its receive
    std::uint32_t access = none;   ///< whose data it carries: it goes straight to memory
    bool rendezvous = false;
    bool local = false;
    bool incomplete = false;  ///< some of its chunks are there
    bool noticed = false;     ///< by its sender: the answer to its request to send
    bool announcing = false;  ///< its request to send is behind data of its connection
    bool answering = false;   ///< likewise the answer

    bool to_itself() const { return source == destination; }
};

/// Something with a clock: a rank, or a non-blocking collective that runs beside its rank.
struct Actor {
    Stamp now;
    std::uint32_t rank = 0;
    std::uint32_t outstanding = 0;  ///< operations that it waits for and that are not done
    Schedule schedule;
    std::vector<std::uint32_t>
        waiting;                   ///< operations to wait for: posted by the schedule, or named by the call
    std::uint32_t request = none;  ///< of a non-blocking collective: the operation to finish at its end
    std::uint8_t lane = 0;         ///< of its messages
    bool step_pending = false;
    bool ahead_due = false;
    bool event_pending = false;  ///< a rank: its computation is done, its call is not
    bool finished = false;       ///< likewise
    // State of collectives.
    Membership membership;  ///< of the one under way
    Step step;
    std::vector<std::uint32_t> ahead;    ///< receives posted ahead, for the wait after the next one
    std::vector<std::uint32_t> started;  ///< operations of the schedules that go on beside this one
};

/// A request that MPI_Start can start again and again.
struct PersistentCall {
    tracefile::Shape shape;
    std::uint32_t active = none;
    Channel* channel = nullptr;  ///< of a partitioned message
    std::uint64_t round = 0;     ///< of the channel, that is or was the last one
};

/// A rank whose threads call MPI at once.
struct ThreadedRank {
    std::vector<ThreadStops> threads;
    std::vector<std::uint32_t> seats;  ///< [place]
};

/// A thread of such a rank: how far it has come.
struct ThreadProgress {
    const ThreadedRank* rank = nullptr;
    std::uint32_t place = 0;
    std::vector<Stamp> reached;  ///< [stop]
    std::size_t passed = 0;      ///< stops
    bool waits = false;          ///< at the next stop, for other threads
    double began = -1;           ///< time of its latest begin; negative: it has not begun
    double lived_seconds = 0;  ///< between its begins and the last calls after them, before the latest begin

    const std::vector<ThreadStop>& stops() const { return rank->threads[place].stops; }
};

/// A blocked probe.
struct Probe {
    Envelope wanted;
    std::uint32_t seat = 0;  ///< whose thread waits
};

/// State of a rank and its place in its trace. Further threads that call MPI at once have such a state each,
/// in a seat after those of all ranks. Matching, the order of messages and progress belong to the rank as a
/// whole: they use the rank's own state, `actor.rank`. Fields that every call needs come first, because with
/// many ranks each line of the cache that a call touches is a line from memory.
struct RankState {
    RankState(Program& its_program, std::uint32_t its_rank, std::uint32_t its_seat,
              std::pmr::memory_resource& memory)
        : program(&its_program),
          cursor(its_program.trace.cursor(its_rank, &memory)),
          rank(its_rank),
          seat(its_seat) {}

    /// Returns whether computation at the rank's current level of MPI_Pcontrol counts.
    bool counts_computation() const {
        return !program->request.details.counted_level || *program->request.details.counted_level == level;
    }

    /// Returns the persistent request of this number, or null if it is none.
    PersistentCall* persistent_call(std::uint64_t number) {
        if (persistent.empty()) return nullptr;
        const auto found = persistent.find(number);
        return found == persistent.end() ? nullptr : &found->second;
    }

    Actor actor;
    alignas(cache_line_bytes) tracefile::Event event;
    Program* program;
    tracefile::RankCursor cursor;
    std::uint32_t rank;  ///< in its program
    std::uint32_t seat;  ///< the actor that goes through this state's events
    RecordedComputation computation;
    std::uint64_t intervals = 0;  ///< of computation so far
    double call_started = -1;     ///< its time; negative if none is under way (kept for a recording only)
    std::int32_t level = 0;       ///< of MPI_Pcontrol
    std::uint32_t call_name = 0;  ///< of the call under way
    tracefile::CallClass call_class = tracefile::CallClass::local;  ///< of the same
    std::uint32_t last_destination = none;                          ///< of a message
    RequestTable requests;     ///< of each its operation; `none` if that ended when it was posted
    Stamp last_link_envelope;  ///< MPI keeps the order of a pair's messages
    Matcher matcher;
    Stamp last_local_envelope;
    std::vector<Probe> probes;  ///< of all its threads
    /// If progress needs calls: the rank notices what comes up to this moment (infinite while it waits inside
    /// a call). Later arrivals go to `late_arrivals`.
    double progresses_until = std::numeric_limits<double>::infinity();
    std::vector<Due> late_arrivals;
    Window* unlocking = nullptr;  ///< by the schedule under way
    std::unordered_map<std::uint64_t, PersistentCall> persistent;
    std::unordered_map<std::uint64_t, std::uint32_t> paired_sends;  ///< of MPI_Isendrecv: [request] the send
    std::unique_ptr<tracefile::Wildcards> wildcards;                ///< once their matches are needed
    std::unique_ptr<ThreadProgress> thread;  ///< if several threads of the rank call MPI
};

/// Order in which a simulation handles moments. Each order is faster than those after it.
enum class Order : std::uint8_t {
    any,               ///< each rank runs as far as it can
    calls,             ///< ranks make their calls in time order, and a message is matched when it is sent
    time,              ///< everything in time order
    time_as_recorded,  ///< the same, and receives with wildcards take the messages that they took
};

/// Something in the trace depends on the order of moments.
struct OrderMatters {
    Order needed;
};

/// The program has MPI_THREAD_MULTIPLE, or lets threads call MPI at once without it, so its trace must be
/// searched for threads.
struct MayHaveThreads {};

/// The assumption under which the calls of a rank's threads are replayed.
enum class Threads : std::uint8_t {
    unknown,  ///< one after the other, unless the trace may have threads that call at once
    in_turn,  ///< one after the other, unless ranks then wait for each other
    at_once,  ///< each thread as a stream of its own
};

/// Messages that wait at one rank before their senders let others go first.
inline constexpr std::uint32_t most_unexpected = 256;

class Simulation final : private NetworkListener {
  public:
    /// Orders before `time` are valid only if nothing is shared; they throw OrderMatters if the trace does
    /// not allow them. `threaded` are the ranks [tenant][rank] whose threads call at once. Before these are
    /// known, `run` throws MayHaveThreads.
    Simulation(const std::vector<Tenant>& tenants, Order order, Threads threads,
               const std::vector<std::map<std::uint32_t, ThreadedRank>>& threaded);
    std::vector<ReplayResult> run();

  private:
    // simulation.cpp: order in which actors run
    void run_in_time_order();
    void run_in_any_order();
    void resume_at_its_time(std::uint32_t actor);
    bool too_early(const Actor& actor) const {
        return !any_order_ && actor.now.seconds > queue_.next_seconds();
    }
    /// The queue would return a happening at the actor's time at once.
    bool comes_next(const Actor& actor) const { return actor.now.seconds < queue_.next_seconds(); }
    void end_if_interrupted() const;
    bool leads_too_far(RankState& state) const {
        const std::uint32_t destination = std::exchange(state.last_destination, none);
        return destination != none && ranks_[destination].matcher.unexpected() > most_unexpected &&
               !runnable_.empty();
    }
    void resume(std::uint32_t actor);
    void resume_collective(std::uint32_t actor);
    void run_rank(RankState& state);
    bool fetch(RankState& state);

    // thread_stops.cpp: threads of a rank that wait for each other outside MPI
    void seat_threads(RankState& home, ThreadedRank& rank);
    bool fetch_after_stop(RankState& state);
    bool may_pass(const ThreadProgress& thread) const;
    void pass_stop(RankState& state);
    void wake_threads(const ThreadedRank& rank);
    double mean_threads(const ThreadedRank& rank, double run_seconds) const;
    bool another_thread_waits(const Actor& actor) const;
    const std::map<std::uint32_t, ThreadedRank>& threaded_of(const Program& program) const;

    void await_computation(SharedNodes::FirstEnd end);
    bool put_off(RankState& state, double alone_seconds);
    void begin_computation(const RankState& state);
    void on_computed(std::uint32_t computation);
    bool run_schedule(std::uint32_t actor);
    void end_rank(std::uint32_t rank);
    void record_call_end(std::uint32_t rank);
    ReplayResult result(Program& program);
    void report_blocked(const Program& program, ReplayResult& result) const;
    bool any_input_output() const;

    // look_ahead.cpp: prefetching for the next happenings
    void look_ahead() const;
    void prefetch_named(const Due& due) const;
    void prefetch_around(const Due& due) const;
    void prefetch_counterparts(const Due& due) const;
    void prefetch_completed(const Due& due) const;
    void prefetch_absorbed(const Actor& actor) const;
    void prefetch_waiting(std::uint32_t operation) const;

    // calls.cpp: effects of calls; true if the rank continues at once, false if it waits
    bool execute(RankState& state);
    bool execute_rarer(std::uint32_t rank);
    bool call_point_to_point(RankState& state, const tracefile::Event& event);
    bool call_complete(RankState& state, const tracefile::Event& event);
    bool call_start(std::uint32_t rank, const tracefile::Event& event);
    bool call_probe(std::uint32_t rank, const tracefile::Shape& shape);
    bool call_collective(std::uint32_t rank, const tracefile::Event& event);
    bool call_new_communicator(std::uint32_t rank, const tracefile::Event& event);
    void call_request_end(std::uint32_t rank, const tracefile::Event& event);
    bool call_input_output(std::uint32_t rank, const tracefile::Event& event);
    void detach(std::uint32_t operation);
    bool pass_as_recorded(std::uint32_t rank, const tracefile::Event& event);
    std::uint32_t post_call(RankState& state, const tracefile::Shape& shape, bool receiving,
                            std::uint64_t request);
    void take_as_recorded(RankState& state, const tracefile::Shape& shape, std::uint64_t request,
                          std::int32_t& peer, std::int32_t& tag);
    const Membership& membership_for(RankState& state, const tracefile::Shape& shape) const;
    std::uint32_t begin_collective(std::uint32_t rank, const tracefile::Shape& shape);
    std::uint32_t begin_schedule(const Actor& parent, Schedule schedule, std::uint8_t lane);
    Schedule steps_of(std::uint32_t rank, const Membership& membership, const tracefile::Shape& shape) const;
    void require_passing(std::uint32_t rank, const tracefile::Shape& shape) const;
    Membership* membership_of(std::uint32_t rank, std::int32_t communicator) {
        return ranks_[rank].program->communicators.find(ranks_[rank].rank, communicator);
    }
    const std::string& name_of(std::uint32_t rank, const tracefile::Shape& shape) const {
        return ranks_[rank].program->trace.names()[shape.name];
    }
    bool lacks_neighbours(std::uint32_t rank, const Membership& membership,
                          const tracefile::Shape& shape) const;
    void require_communicator(std::uint32_t rank, const tracefile::Shape& shape) const;
    bool enter_collective(std::uint32_t rank, Membership& membership, Schedule schedule);

    // one_sided.cpp: windows, and accesses to them
    bool call_new_window(std::uint32_t rank, const tracefile::Event& event);
    bool call_free_window(std::uint32_t rank, const tracefile::Event& event);
    bool call_access(std::uint32_t rank, const tracefile::Event& event);
    bool call_window_sync(std::uint32_t rank, const tracefile::Event& event);
    WindowSide* window_of(std::uint32_t rank, const tracefile::Shape& shape);
    bool fence(std::uint32_t rank, WindowSide& side);
    bool wait_then(std::uint32_t rank, const Membership& membership, std::uint32_t number, Schedule steps);
    void take_pending(std::uint32_t rank, WindowSide& side, std::uint32_t target, bool locally);
    Stamp control_message(std::uint32_t from, std::uint32_t to, const Stamp& ready);
    std::uint32_t begin_data(std::uint32_t access, std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                             const Stamp& at);
    void go_at_its_time(std::uint32_t message);
    void reach_at_its_time(std::uint32_t access);
    void on_data(std::uint32_t message, const Stamp& at);
    void on_access(std::uint32_t access);

    // locks.cpp
    bool call_lock(std::uint32_t rank, WindowSide& side, const tracefile::Shape& shape);
    bool call_lock_all(std::uint32_t rank, Window& window);
    void ask_for_lock(std::uint32_t access);
    void grant_locks(Window& window, std::uint32_t target, Stamp since);
    void release_lock(std::uint32_t seat, std::uint32_t target);
    void give_back_lock(std::uint32_t access);

    // partitioned.cpp
    void call_partitioned_init(std::uint32_t rank, const tracefile::Event& event);
    void start_partitioned(std::uint32_t rank, PersistentCall& call);
    void complete_partitioned(std::uint32_t rank, PersistentCall& call);
    bool call_ready(std::uint32_t rank, const tracefile::Event& event);
    bool call_arrived(std::uint32_t rank, const tracefile::Event& event);
    PersistentCall* persistent_of(std::uint32_t rank, const tracefile::Event& event);
    void ready_partition(std::uint32_t rank, const PersistentCall& call, std::uint32_t partition);
    void ready_unit(std::uint32_t rank, Channel& channel, std::uint64_t round, std::uint32_t unit);
    void on_announced_partition(std::uint32_t access);
    void clear_unit(std::uint32_t access);
    void on_partition(std::uint32_t access);
    void settle(Channel& channel, Round& round);
    static bool has_arrived(const Round& round, const PartWaiter& waiter, Stamp& at);

    // messages.cpp: the path of a message
    std::uint32_t post_send(Actor& actor, const Membership& membership, bool collective, std::int32_t peer,
                            std::int32_t tag, std::uint64_t bytes, SendMode mode);
    std::uint32_t post_receive(Actor& actor, const Membership& membership, bool collective, std::int32_t peer,
                               std::int32_t tag);
    void send_eagerly(RankState& sender, Message& message, std::uint32_t index, const Stamp& now);
    void announce(RankState& sender, Message& message, std::uint32_t index, const Stamp& now);
    Transmission transmission_of(const Message& message) const;
    std::uint64_t connection(std::uint32_t from, std::uint32_t to) const {
        return std::uint64_t{from} * rank_count() + to;
    }
    bool match(std::uint32_t message);
    void on_envelope(std::uint32_t message);
    void on_eager(std::uint32_t message, const Stamp& at);
    void on_whole(std::uint32_t message);
    void wake_probes(const Message& message);
    double overhead_of(const Message& message, const Operation& receive, const Stamp& at);
    void on_left(std::uint32_t message, const Stamp& left) override;
    void on_head(std::uint32_t message, const Stamp& at) override;
    void on_arrival(std::uint32_t message, const Stamp& at) override;
    void on_transfer(std::uint32_t message);
    // For ranks that notice arrivals only while they wait inside calls.
    bool notices(std::uint32_t rank, const Stamp& at, Due what);
    void begin_progress(const Actor& actor) {
        if (!calls_only_) return;
        RankState& state = ranks_[actor.rank];
        state.progresses_until = std::numeric_limits<double>::infinity();
        if (!state.late_arrivals.empty()) [[unlikely]]
            progress_late_arrivals(state, actor.now);
    }
    void end_progress(const Actor& actor) {
        if (!calls_only_ || actor.schedule || (any_threads_ && another_thread_waits(actor))) return;
        // A rank that waited for messages to itself alone has noticed nothing.
        double& until = ranks_[actor.rank].progresses_until;
        if (std::isinf(until)) until = actor.now.seconds;
    }
    void poll(RankState& state) {
        begin_progress(state.actor);
        end_progress(state.actor);
    }
    void progress_late_arrivals(RankState& state, const Stamp& now);
    /// Throws if time order matters here, because the result depends on when ranks are inside calls.
    void require_order_of_calls() const {
        if (any_order_ && calls_only_) throw OrderMatters{Order::calls};
    }
    void on_control(std::uint32_t message, const Stamp& at);
    void on_answer(std::uint32_t message);
    void meet(std::uint32_t message, std::uint32_t receive, Actor* poster = nullptr);
    void deliver(std::uint32_t message, const Stamp& at);
    void finish(std::uint32_t operation, const Stamp& at);
    bool takes_time(const Actor& actor) const;
    bool wait_for_operations(Actor& actor, std::uint32_t index);
    void absorb(Actor& actor);
    void sort_by_delivery(std::vector<std::uint32_t>& waiting) const;

    const Path& path(bool local) const { return local ? fabric_.intranode : fabric_.link; }
    Actor& actor_at(std::uint32_t index) {
        return index < rank_count() ? ranks_[index].actor : further_actors_[index - rank_count()];
    }
    std::uint32_t node_of(std::uint32_t rank) const { return nodes_[rank]; }
    std::uint32_t rank_count() const { return rank_count_; }

    /// CPU seconds of a message's sender and of its receiver, and the latency that its size adds.
    struct Overheads {
        double send;
        double receive;
        double added_latency;
    };
    struct OverheadsOnPath {
        const Path* path;
        Overheads operator()(std::uint64_t bytes) const {
            return {path->send_overhead.at(bytes), path->receive_overhead.at(bytes),
                    path->added_latency.at(bytes)};
        }
    };
    const Overheads& overheads(bool local, std::uint64_t bytes) {
        return (local ? local_overheads_ : link_overheads_).of(bytes);
    }

    const ReplayRequest& request_;
    Fabric fabric_;  ///< what the background load leaves of the requested one
    std::shared_ptr<Recording> recording_;
    BySize<OverheadsOnPath> link_overheads_;
    BySize<OverheadsOnPath> local_overheads_;
    std::deque<Program> programs_;
    std::vector<std::uint32_t> nodes_;  ///< [rank], and further threads
    EventQueue queue_;
    const std::uint64_t interrupts_before_;
    bool any_order_;    ///< no moment depends on what else happens at the time
    bool early_;        ///< messages are matched when they are sent, and delivered as soon as they may leave
    bool as_recorded_;  ///< receives with wildcards take the messages that they took
    bool wildcards_ = false;  ///< some receives have them
    Threads threads_;
    bool any_threads_;                         ///< some rank has several that call MPI
    bool calls_only_;                          ///< ranks answer and go on only while they wait inside calls
    std::deque<std::uint32_t> runnable_;       ///< actors, if any order is allowed
    std::optional<SharedNodes> shared_nodes_;  ///< if ranks slow each other
    Pool<SharedNodes::FirstEnd> computations_;
    Network network_;
    LargePageResource large_pages_;
    std::pmr::monotonic_buffer_resource cursor_memory_{&large_pages_};
    LargeVector<RankState> ranks_;  ///< the first actors: ranks, then further threads of some
    std::uint32_t rank_count_ = 0;  ///< with those threads
    std::vector<std::map<std::uint32_t, ThreadedRank>> threaded_;  ///< [program] by rank
    std::deque<Actor> further_actors_;
    std::vector<std::uint32_t> idle_actors_;  ///< of the further ones
    Pool<Operation> operations_;
    Pool<Message> messages_;
    Pool<Access> accesses_;
};

}  // namespace linkworth::replay
