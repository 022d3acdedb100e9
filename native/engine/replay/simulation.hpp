// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The discrete-event simulation: ranks as actors that run their traces, messages that cross the network.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "replay/event_queue.hpp"
#include "replay/matcher.hpp"
#include "replay/network.hpp"
#include "replay/pool.hpp"
#include "replay/program.hpp"
#include "replay/recorded_computation.hpp"
#include "replay/replay.hpp"
#include "replay/request_table.hpp"
#include "replay/schedule.hpp"
#include "replay/stamp.hpp"
#include "tracefile/trace.hpp"

namespace linkworth::replay {

/// A posted receive, a send that waits for its receiver, or a non-blocking collective in flight.
struct Operation {
    Stamp done_at;                   ///< until it is `done`: when it was posted (receives)
    double completion_overhead = 0;  ///< CPU time that completing it costs its rank
    std::uint32_t actor = none;      ///< the actor that waits for it now
    Envelope envelope;               ///< of a receive
    bool is_receive = false;
    bool done = false;
    bool detached = false;  ///< nobody will wait for it
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
    bool rendezvous = false;
    bool local = false;
    bool incomplete = false;  ///< some of its chunks are there
    bool noticed = false;     ///< by its sender: the answer to its request to send
};

/// Something with a clock: a rank, or a non-blocking collective that goes on beside its rank.
struct Actor {
    Stamp now;
    std::uint32_t rank = 0;
    std::uint32_t outstanding = 0;  ///< operations that it waits for and that are not done
    std::uint32_t request = none;   ///< of a non-blocking collective: the operation to finish at its end
    Schedule schedule;
    Membership membership;  ///< of the collective under way
    bool step_pending = false;
    bool noticed = false;  ///< a non-blocking collective: its rank is inside MPI to go on with it
    Step step;
    std::vector<std::uint32_t> ahead;  ///< receives posted ahead, for the wait after the next one
    bool ahead_due = false;
    std::uint8_t lane = 0;               ///< of its messages
    std::vector<std::uint32_t> started;  ///< operations of the schedules that go on beside this one
    std::vector<std::uint32_t>
        waiting;  ///< operations to wait for: posted by the schedule, or named by the call
};

/// A request that MPI_Start can start again and again.
struct PersistentCall {
    tracefile::Shape shape;
    std::uint32_t active = none;
};

/// A rank's place in its trace.
struct RankState {
    RankState(Program& its_program, std::uint32_t its_rank)
        : program(&its_program), rank(its_rank), cursor(its_program.trace.cursor(its_rank)) {}

    Program* program;
    std::uint32_t rank;  ///< in its program
    tracefile::RankCursor cursor;
    tracefile::Event event;
    bool event_pending = false;  ///< its computation is done, its call is not
    bool finished = false;
    RecordedComputation computation;
    std::int32_t level = 0;       ///< of MPI_Pcontrol
    std::uint64_t intervals = 0;  ///< of computation so far
    std::uint32_t call_name = 0;  ///< of the call under way
    double call_started = -1;     ///< its time; negative where none is under way (kept for a recording only)
    Matcher matcher;
    RequestTable requests;
    std::unordered_map<std::uint64_t, PersistentCall> persistent;
    std::optional<Envelope> probe;          ///< what a blocked probe waits for
    std::uint32_t last_destination = none;  ///< of a message
    Stamp last_link_envelope;               ///< MPI keeps the order of a pair's messages
    Stamp last_local_envelope;
};

/// Something in the trace depends on what comes first, so moments must be gone through in their order.
struct OrderMatters {};

class Simulation final : private NetworkListener {
  public:
    /// `any_order`: each rank runs as far as it can, which is faster. Only where nothing is shared; throws
    /// OrderMatters where the trace does not allow it.
    Simulation(const std::vector<Tenant>& tenants, bool any_order);
    std::vector<ReplayResult> run();

  private:
    // simulation.cpp: who goes on when
    void run_in_time_order();
    void run_in_any_order();
    void resume_at_its_time(std::uint32_t actor);
    bool too_early(const Actor& actor) const {
        return !any_order_ && actor.now.seconds > queue_.next_seconds();
    }
    bool leads_too_far(RankState& state) const;
    void resume(std::uint32_t actor);
    void run_rank(std::uint32_t rank);
    bool fetch(std::uint32_t rank);
    bool run_schedule(std::uint32_t actor);
    void end_rank(std::uint32_t rank);
    void record_call_end(std::uint32_t rank);
    ReplayResult result(Program& program);
    void report_blocked(const Program& program, ReplayResult& result) const;

    // calls.cpp: what a call does; true where the rank goes on at once, false where it waits
    bool execute(std::uint32_t rank);
    bool call_point_to_point(std::uint32_t rank, const tracefile::Event& event);
    bool call_complete(std::uint32_t rank, const tracefile::Event& event);
    bool call_start(std::uint32_t rank, const tracefile::Event& event);
    bool call_probe(std::uint32_t rank, const tracefile::Shape& shape);
    bool call_collective(std::uint32_t rank, const tracefile::Event& event);
    bool call_new_communicator(std::uint32_t rank, const tracefile::Event& event);
    void call_request_end(std::uint32_t rank, const tracefile::Event& event);
    bool pass_as_recorded(std::uint32_t rank, const tracefile::Event& event);
    std::uint32_t post_call(std::uint32_t rank, const tracefile::Shape& shape, bool receiving);
    std::uint32_t begin_collective(std::uint32_t rank, const tracefile::Shape& shape);
    std::uint32_t begin_schedule(const Actor& parent, Schedule schedule, std::uint8_t lane);
    Membership ground_of(const Membership& membership) const;
    Schedule steps_of(std::uint32_t rank, const Membership& membership, const tracefile::Shape& shape) const;
    void require_passing(std::uint32_t rank, const tracefile::Shape& shape) const;
    Membership* membership_of(std::uint32_t rank, std::int32_t communicator) {
        return ranks_[rank].program->communicators.find(ranks_[rank].rank, communicator);
    }
    const std::string& name_of(std::uint32_t rank, const tracefile::Shape& shape) const {
        return ranks_[rank].program->trace.names()[shape.name];
    }
    void require_communicator(std::uint32_t rank, const tracefile::Shape& shape) const;
    bool enter_collective(std::uint32_t rank, Membership& membership, Schedule schedule);

    // messages.cpp: what a message does
    std::uint32_t post_send(Actor& actor, const Membership& membership, bool collective, std::int32_t peer,
                            std::int32_t tag, std::uint64_t bytes, SendMode mode);
    std::uint32_t post_receive(Actor& actor, const Membership& membership, bool collective, std::int32_t peer,
                               std::int32_t tag);
    void send_eagerly(Message& message, std::uint32_t index, const Actor& actor);
    void announce(Message& message, std::uint32_t index, const Actor& actor);
    Transmission transmission_of(const Message& message) const;
    void on_envelope(std::uint32_t message);
    void on_left(std::uint32_t message, const Stamp& left) override;
    void on_head(std::uint32_t message, const Stamp& at) override;
    void on_arrival(std::uint32_t message, const Stamp& at) override;
    void on_transfer(std::uint32_t message);
    Stamp noticed_by(std::uint32_t rank, const Stamp& at) const;
    void on_answer(std::uint32_t message);
    void meet(std::uint32_t message, std::uint32_t receive);
    void deliver(std::uint32_t message, const Stamp& at);
    void finish(std::uint32_t operation, const Stamp& at);
    bool wait_for_operations(std::uint32_t actor);
    void absorb(Actor& actor);

    const PathCosts& path(bool local) const {
        return local ? options_.fabric.intranode : options_.fabric.link;
    }
    std::uint32_t node_of(std::uint32_t rank) const { return nodes_[rank]; }
    std::uint32_t rank_count() const { return static_cast<std::uint32_t>(ranks_.size()); }

    const ReplayOptions& options_;
    std::deque<Program> programs_;
    std::vector<std::uint32_t> nodes_;  ///< [rank]
    EventQueue queue_;
    bool any_order_;                      ///< no moment depends on what else happens at the time
    std::deque<std::uint32_t> runnable_;  ///< actors, where the order is any
    Network network_;
    std::deque<Actor> actors_;  ///< the first ones are the ranks
    std::vector<std::uint32_t> idle_actors_;
    std::vector<RankState> ranks_;
    Pool<Operation> operations_;
    Pool<Message> messages_;
};

}  // namespace linkworth::replay
