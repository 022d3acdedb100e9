// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/simulation.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>

#include "calls/names.hpp"
#include "replay/posting.hpp"
#include "replay/sensible.hpp"

namespace linkworth::replay {
namespace {

using tracefile::Event;

/// With fewer ranks, so much of their state is in the cache that looking ahead costs more than it saves.
constexpr std::uint32_t ranks_beyond_cache = 2048;

/// Calls of interrupt_replays.
std::atomic<std::uint64_t> interrupts = 0;

/// [rank of the simulation]: its node, program after program.
std::vector<std::uint32_t> nodes_of(const std::vector<Tenant>& tenants) {
    std::vector<std::uint32_t> result;
    for (const Tenant& tenant : tenants)
        result.insert(result.end(), tenant.request->node_of_rank.begin(), tenant.request->node_of_rank.end());
    return result;
}

std::vector<std::uint32_t> ranks_on(const std::vector<std::uint32_t>& node_of_rank) {
    std::vector<std::uint32_t> result;
    for (const std::uint32_t node : node_of_rank) {
        if (node >= result.size()) result.resize(std::size_t{node} + 1);
        ++result[node];
    }
    return result;
}

constexpr auto waits_for_a_message = ", which waits for a message that the trace does not contain";
using ThreadedRanks = std::map<std::uint32_t, ThreadedRank>;

ThreadedRanks threaded_ranks(const tracefile::Trace& trace, ThreadOrder order) {
    ThreadedRanks result;
    if (order == ThreadOrder::single) return result;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        std::vector<ThreadStops> threads = find_threads(trace, rank, order);
        if (!threads.empty()) result[rank].threads = std::move(threads);
    }
    return result;
}

bool any_threads(const std::vector<ThreadedRanks>& threaded) {
    return !std::ranges::all_of(threaded, &ThreadedRanks::empty);
}

std::size_t further_threads(const std::vector<ThreadedRanks>& threaded) {
    std::size_t count = 0;
    for (const ThreadedRanks& of_program : threaded)
        for (const auto& [rank, its] : of_program) count += its.threads.size() - 1;
    return count;
}

bool nodes_are_shared(const ReplaySettings& settings, const std::vector<std::uint32_t>& ranks_on_node) {
    return !ranks_on_node.empty() && SharedNodes::matter(settings, std::ranges::max(ranks_on_node));
}

/// `actors`: ranks and further threads.
std::optional<SharedNodes> shared_nodes(const ReplaySettings& settings,
                                        const std::vector<std::uint32_t>& ranks_on_node, std::size_t actors) {
    if (!nodes_are_shared(settings, ranks_on_node)) return std::nullopt;
    return SharedNodes(settings, ranks_on_node.size(), actors);
}

/// Returns a fabric with the bandwidth that the background load leaves on links between nodes.
Fabric loaded(Fabric fabric, double background_load) {
    fabric.link.bandwidth_bytes_per_second *= 1 - background_load;
    fabric.duplex_bytes_per_second *= 1 - background_load;
    fabric.tcp.pair_bytes_per_second *= 1 - background_load;
    for (SwitchLevel& level : fabric.topology.levels) level.bandwidth_bytes_per_second *= 1 - background_load;
    return fabric;
}

std::shared_ptr<Recording> recording(const std::vector<Tenant>& tenants) {
    const auto& limits = tenants.front().request->details.record;
    if (!limits || tenants.size() > 1) return nullptr;
    auto made = std::make_shared<Recording>();
    made->limits = *limits;
    made->activities = ActivityMap(tenants.front().trace->ranks());
    return made;
}

}  // namespace

Simulation::Simulation(const std::vector<Tenant>& tenants, Order order, Threads threads,
                       const std::vector<ThreadedRanks>& threaded)
    : request_(*tenants.front().request),
      fabric_(loaded(request_.fabric, request_.settings.background_load)),
      recording_(recording(tenants)),
      link_overheads_({&fabric_.link}),
      local_overheads_({&fabric_.intranode}),
      nodes_(nodes_of(tenants)),
      interrupts_before_(interrupts),
      any_order_(order == Order::any),
      early_(order < Order::time),
      as_recorded_(order == Order::time_as_recorded),
      threads_(threads),
      any_threads_(any_threads(threaded)),
      calls_only_(request_.settings.progress.value_or(fabric_.progress) == Progress::calls),
      shared_nodes_(
          shared_nodes(request_.settings, ranks_on(nodes_), nodes_.size() + further_threads(threaded))),
      network_(fabric_, request_.settings.contention, ranks_on(nodes_),
               nodes_.size() + further_threads(threaded), queue_, *this, recording_ != nullptr),
      threaded_(threaded) {
    std::uint32_t ranks = 0;
    for (const Tenant& tenant : tenants) {
        programs_.emplace_back(*tenant.trace, *tenant.request, ranks, order != Order::any);
        ranks += tenant.trace->ranks();
    }
    ranks_.reserve(ranks + further_threads(threaded_));
    for (Program& program : programs_)
        for (std::uint32_t rank = 0; rank < program.trace.ranks(); ++rank) {
            ranks_.emplace_back(program, rank, rank_count_, cursor_memory_);
            ranks_.back().actor.rank = rank_count_++;
            if (calls_only_) ranks_.back().progresses_until = 0;
        }
    for (std::size_t program = 0; program < threaded_.size(); ++program)
        for (auto& [rank, its] : threaded_[program])
            seat_threads(ranks_[programs_[program].first_rank + rank], its);
}

std::vector<ReplayResult> Simulation::run() {
    for (std::uint32_t rank = 0; rank < rank_count(); ++rank) resume_at_its_time(rank);
    if (any_order_)
        run_in_any_order();
    else
        run_in_time_order();
    std::vector<ReplayResult> results;
    for (Program& program : programs_) results.push_back(result(program));
    if (recording_ != nullptr) recording_->loads = network_.loads();
    results.front().recording = recording_;
    return results;
}

inline void Simulation::resume(std::uint32_t index) {
    if (index >= rank_count()) [[unlikely]]
        return resume_collective(index);
    RankState& state = ranks_[index];
    if (!state.actor.schedule || run_schedule(index)) run_rank(state);
}

inline void Simulation::end_if_interrupted() const {
    if (interrupts.load(std::memory_order_relaxed) != interrupts_before_) [[unlikely]]
        throw ReplayError("the replay was interrupted");
}

void Simulation::run_in_any_order() {
    while (!runnable_.empty()) {
        end_if_interrupted();
        const std::uint32_t actor = runnable_.front();
        runnable_.pop_front();
        resume(actor);
    }
}

void Simulation::run_in_time_order() {
    while (!queue_.empty()) {
        end_if_interrupted();
        const Due entry = queue_.pop();
        if (rank_count() >= ranks_beyond_cache) look_ahead();
        switch (entry.what) {
            case Happening::resume: resume(entry.index); break;
            case Happening::envelope: on_envelope(entry.index); break;
            case Happening::answer: on_answer(entry.index); break;
            case Happening::transfer: on_transfer(entry.index); break;
            case Happening::whole: on_whole(entry.index); break;
            case Happening::parcel: network_.on_parcel(entry.index); break;
            case Happening::access: on_access(entry.index); break;
            case Happening::port: network_.on_port(entry.index); break;
            case Happening::computes: begin_computation(ranks_[entry.index]); break;
            case Happening::computed: on_computed(entry.index); break;
        }
    }
}

void Simulation::resume_at_its_time(std::uint32_t actor) {
    if (any_order_)
        runnable_.push_back(actor);
    else
        queue_.push(actor_at(actor).now.seconds, Happening::resume, actor);
}

/// Continues a collective that runs beside its rank.
void Simulation::resume_collective(std::uint32_t index) {
    Actor& actor = actor_at(index);
    if (!notices(actor.rank, actor.now, {Happening::resume, index})) return;
    if (actor.schedule) run_schedule(index);
}

/// Goes on with a collective. True when it has ended.
bool Simulation::run_schedule(std::uint32_t index) {
    Actor& actor = actor_at(index);
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
                actor.now.add_overhead(fabric_.post_seconds);
                operation = post_receive(actor, actor.membership, true, peer, tag);
                break;
            case StepKind::recv_ahead:
                actor.now.add_overhead(fabric_.post_seconds);
                actor.ahead.push_back(post_receive(actor, actor.membership, true, peer, tag));
                break;
            case StepKind::combine:
                actor.now.add_overhead(static_cast<double>(actor.step.bytes) /
                                       fabric_.combine_bytes_per_second);
                break;
            case StepKind::pack:
                actor.now.add_overhead(actor.step.peer * fabric_.block_seconds);
                actor.now = network_.copy(node_of(actor.rank), actor.step.bytes, actor.now);
                break;
            case StepKind::datatype: actor.now.add_overhead(fabric_.datatype_seconds); break;
            case StepKind::start:
                actor.started.push_back(
                    begin_schedule(actor, actor.schedule.take_started(), actor.step.lane));
                break;
            case StepKind::join:
                actor.waiting.insert(actor.waiting.end(), actor.started.begin(), actor.started.end());
                actor.started.clear();
                if (!wait_for_operations(actor, index)) return false;
                break;
            case StepKind::release: release_lock(index, actor.step.peer); break;
            case StepKind::wait:
                actor.ahead_due = !actor.ahead.empty();
                if (!wait_for_operations(actor, index)) return false;
                break;
        }
        if (operation != none) actor.waiting.push_back(operation);
    }
    actor.schedule.clear();
    if (index < rank_count()) end_progress(actor);
    if (actor.request != none) {
        const std::uint32_t request = std::exchange(actor.request, none);
        const Stamp end = actor.now;
        idle_actors_.push_back(index);
        finish(request, end);
    }
    return true;
}

void Simulation::end_rank(std::uint32_t rank) {
    RankState& state = ranks_[rank];
    if (threads_ == Threads::unknown && state.cursor.met_overlap()) throw MayHaveThreads();
    state.actor.finished = true;
    if (state.seat != state.actor.rank) return;  // the rank has other threads still
    begin_progress(state.actor);
    state.program->region.leave(state.rank, ranks_[rank].actor.now);
}

ReplayResult Simulation::result(Program& program) {
    ReplayResult result;
    report_blocked(program, result);
    Stamp end;
    for (std::uint32_t rank = 0; rank < program.trace.ranks(); ++rank) {
        const Stamp& now = ranks_[program.first_rank + rank].actor.now;
        program.region.leave(rank, now);
        end.raise_to(now);
    }
    result.rank_compute_seconds = program.region.rank_compute();
    result.run_rank_compute_seconds = program.region.run_compute();
    result.descheduled_seconds = program.region.descheduled_seconds();
    for (const auto& [rank, its] : threaded_of(program))
        for (const std::uint32_t seat : its.seats) end.raise_to(ranks_[seat].actor.now);
    // It is not known which threads live in a part that the program marks.
    for (const auto& [rank, its] : threaded_of(program)) {
        const double living = mean_threads(its, end.seconds);
        result.run_rank_compute_seconds[rank] /= living;
        result.rank_compute_seconds[rank] /=
            program.region.marked() ? static_cast<double>(its.seats.size()) : living;
    }
    result.threaded_ranks = static_cast<std::uint32_t>(threaded_of(program).size());
    result.run_seconds = end.seconds;
    if (program.region.marked()) end = program.region.total();
    result.marked_region = program.region.marked();
    result.seconds = end.seconds;
    const double latency = fabric_.link.latency_seconds;
    result.seconds_per_inverse_cpu_speed = end.compute;
    result.compute_seconds = end.compute;
    if (any_input_output()) result.compute_seconds += std::max(0.0, end.input_output(latency));
    result.overhead_seconds = end.overhead;
    result.latency_seconds = end.link_latencies * latency + end.elsewhere_latency;
    result.bandwidth_seconds = end.link_bandwidth + end.elsewhere_bandwidth;
    result.wait_seconds = end.wait;
    result.seconds_per_latency_second = end.link_latencies;
    // The derivative is by the requested bandwidth, of which the background load takes its share.
    if (end.link_bandwidth > 0)
        result.seconds_per_inverse_bandwidth =
            end.link_bandwidth * request_.fabric.link.bandwidth_bytes_per_second;
    result.internode_bytes = program.internode_bytes;
    result.timed_internode_bytes =
        result.marked_region ? program.marked_internode_bytes : program.internode_bytes;
    result.messages = program.messages;
    result.events = program.events;
    result.mark_seconds = std::move(program.mark_seconds);
    for (const auto& [level, seconds] : program.region.level_compute())
        if (seconds > 0) result.level_compute_seconds[level] = seconds;
    for (const auto& [level, seconds] : program.region.level_compute()) result.levels.insert(level);
    for (const collectives::Collective what : program.forced_applied)
        result.forced_applied.emplace_back(tracefile::collective_name(what));
    for (std::size_t name = 0; name < program.passed.size(); ++name)
        if (program.passed[name] > 0) result.unmodelled[program.trace.names()[name]] = program.passed[name];
    for (std::size_t name = 0; name < program.input_output_seconds.size(); ++name)
        if (program.input_output_seconds[name] > 0)
            result.input_output_seconds[program.trace.names()[name]] = program.input_output_seconds[name];
    return result;
}

bool Simulation::any_input_output() const {
    const auto took = [](double seconds) { return seconds > 0; };
    return std::ranges::any_of(programs_, [&](const auto& program) {
        return std::ranges::any_of(program.input_output_seconds, took);
    });
}

void Simulation::report_blocked(const Program& program, ReplayResult& result) const {
    const auto look_at = [&](const RankState& state, const std::string& who) {
        if (state.actor.finished) return;
        // Such calls may stop before one of them has an overlap.
        if (threads_ != Threads::at_once && has_threads(program.trace, state.rank)) throw MayHaveThreads();
        result.stopped.push_back(who + " stops in " + program.trace.names()[state.call_name] +
                                 waits_for_a_message);
    };
    const auto& threaded = threaded_of(program);
    for (std::uint32_t rank = 0; rank < program.trace.ranks(); ++rank) {
        const std::string who = "rank " + std::to_string(rank);
        look_at(ranks_[program.first_rank + rank], who);
        const auto its = threaded.find(rank);
        for (std::size_t place = 1; its != threaded.end() && place < its->second.seats.size(); ++place)
            look_at(ranks_[its->second.seats[place]],
                    "thread " + std::to_string(its->second.threads[place].thread) + " of " + who);
    }
    // A program may answer to the source that the recording has, while another message came first here.
    if (!result.stopped.empty() && !program.request.tolerate_cut && wildcards_ && !as_recorded_)
        throw OrderMatters{Order::time_as_recorded};
    if (!result.stopped.empty() && !program.request.tolerate_cut)
        throw ReplayStoppedError(result.stopped.front() + "; record the program again");
}

namespace {

std::vector<ReplayResult> run_in_some_order(const std::vector<Tenant>& tenants, Threads threads,
                                            const std::vector<ThreadedRanks>& threaded) {
    const ReplaySettings& settings = tenants.front().request->settings;
    Order order = Order::time;
    if (!settings.contention && !nodes_are_shared(settings, ranks_on(nodes_of(tenants))) &&
        !any_threads(threaded)) {
        order = Order::any;
    }
    for (;;) {
        try {
            return Simulation(tenants, order, threads, threaded).run();
        } catch (const OrderMatters& matters) {
            order = matters.needed;
        }
    }
}

/// Replays each rank's calls one after the other, or those of its threads side by side if they call at once.
std::vector<ReplayResult> run_with_threads(const std::vector<Tenant>& tenants) {
    std::vector<ThreadedRanks> threaded(tenants.size());
    std::vector<ThreadOrder> orders;
    Threads threads = Threads::unknown;
    for (;;) {
        try {
            return run_in_some_order(tenants, threads, threaded);
        } catch (const MayHaveThreads&) {
            if (threads == Threads::unknown) {
                for (const Tenant& tenant : tenants) orders.push_back(order_of_threads(*tenant.trace));
                if (std::ranges::all_of(orders,
                                        [](ThreadOrder order) { return order == ThreadOrder::turns; })) {
                    threads = Threads::in_turn;
                    continue;
                }
            }
            threads = Threads::at_once;
            for (std::size_t tenant = 0; tenant < tenants.size(); ++tenant)
                threaded[tenant] = threaded_ranks(*tenants[tenant].trace, orders[tenant]);
        }
    }
}

std::vector<ReplayResult> simulated(const std::vector<Tenant>& tenants) {
    try {
        return run_with_threads(tenants);
    } catch (const std::logic_error& impossible) {
        throw ReplayError(std::string("the trace contains what no MPI program can do (") + impossible.what() +
                          "); it is damaged: record the program again");
    }
}

}  // namespace

ReplayResult replay(const tracefile::Trace& trace, const ReplayRequest& request) {
    return std::move(replay_together({{&trace, &request}}).front());
}

void interrupt_replays() { ++interrupts; }

std::vector<ReplayResult> replay_together(const std::vector<Tenant>& tenants) {
    for (const Tenant& tenant : tenants) check_sensible(*tenant.request);
    std::vector<ReplayResult> results = simulated(tenants);
    for (const ReplayResult& result : results) check_finite(result);
    return results;
}

}  // namespace linkworth::replay
