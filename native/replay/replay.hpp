// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Public interface: replays a recorded run on a fabric.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "replay/fields.hpp"
#include "replay/recording.hpp"
#include "replay/settings.hpp"
#include "trace/trace.hpp"

namespace linkworth::replay {

/// The trace cannot be replayed (a rank waits for a message that nobody sends, a placement that does not
/// fit). One sentence.
class ReplayError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A rank waits for ever, in a trace that is not cut.
class ReplayStoppedError : public ReplayError {
  public:
    using ReplayError::ReplayError;
};

struct ReplayResult {
    /// Time of the marked region, or from MPI_Init to MPI_Finalize. The five parts sum to it.
    double seconds = 0;
    double compute_seconds = 0;
    double overhead_seconds = 0;
    double latency_seconds = 0;
    double bandwidth_seconds = 0;
    double wait_seconds = 0;
    std::uint64_t internode_bytes = 0;
    std::uint64_t timed_internode_bytes = 0;
    std::uint64_t messages = 0;
    double seconds_per_latency_second = 0;
    double seconds_per_inverse_bandwidth = 0;
    double seconds_per_inverse_cpu_speed = 0;
    bool marked_region = false;
    std::uint64_t events = 0;
    std::uint32_t threaded_ranks = 0;          ///< ranks whose threads call MPI at once
    std::vector<double> rank_compute_seconds;  ///< scaled, of the same region; of threads, each living one's
    double run_seconds = 0;                    ///< from MPI_Init to MPI_Finalize, whatever is marked
    std::vector<double> run_rank_compute_seconds;  ///< of the whole run
    double descheduled_seconds = 0;  ///< of all ranks: recorded between calls of that region without a core
    /// Scaled computation of the marked region by level of MPI_Pcontrol, summed over ranks.
    std::map<std::int32_t, double> level_compute_seconds;
    std::map<std::string, std::uint64_t> unmodelled;     ///< calls that took their recorded time
    std::map<std::string, double> input_output_seconds;  ///< recorded time in calls to files, of all ranks
    std::vector<std::vector<double>> mark_seconds;       ///< [rank] time of each MPI_Pcontrol, on request
    std::set<std::int32_t> levels;                       ///< of MPI_Pcontrol; 0 at the start
    std::vector<std::string> forced_applied;             ///< collectives that ran a forced algorithm
    std::vector<std::string> stopped;                    ///< ends of a cut trace, one sentence a rank
    std::shared_ptr<Recording> recording;                ///< on request

    static void fields(auto&& visit) {
        using enum Allowed;
        visit("seconds", &ReplayResult::seconds, amount);
        visit("compute_seconds", &ReplayResult::compute_seconds, amount);
        visit("overhead_seconds", &ReplayResult::overhead_seconds, amount);
        visit("latency_seconds", &ReplayResult::latency_seconds, amount);
        visit("bandwidth_seconds", &ReplayResult::bandwidth_seconds, amount);
        visit("wait_seconds", &ReplayResult::wait_seconds, amount);
        visit("internode_bytes", &ReplayResult::internode_bytes, any);
        visit("timed_internode_bytes", &ReplayResult::timed_internode_bytes, any);
        visit("messages", &ReplayResult::messages, any);
        visit("seconds_per_latency_second", &ReplayResult::seconds_per_latency_second, amount);
        visit("seconds_per_inverse_bandwidth", &ReplayResult::seconds_per_inverse_bandwidth, amount);
        visit("seconds_per_inverse_cpu_speed", &ReplayResult::seconds_per_inverse_cpu_speed, amount);
        visit("marked_region", &ReplayResult::marked_region, any);
        visit("events", &ReplayResult::events, any);
        visit("threaded_ranks", &ReplayResult::threaded_ranks, any);
        visit("rank_compute_seconds", &ReplayResult::rank_compute_seconds, any);
        visit("run_seconds", &ReplayResult::run_seconds, amount);
        visit("run_rank_compute_seconds", &ReplayResult::run_rank_compute_seconds, any);
        visit("descheduled_seconds", &ReplayResult::descheduled_seconds, any);
        visit("level_compute_seconds", &ReplayResult::level_compute_seconds, any);
        visit("unmodelled", &ReplayResult::unmodelled, any);
        visit("input_output_seconds", &ReplayResult::input_output_seconds, any);
        visit("mark_seconds", &ReplayResult::mark_seconds, any);
        visit("levels", &ReplayResult::levels, any);
        visit("forced_applied", &ReplayResult::forced_applied, any);
        visit("stopped", &ReplayResult::stopped, any);
        visit("recording", &ReplayResult::recording, any);
    }
};

ReplayResult replay(const tracefile::Trace& trace, const ReplayRequest& request);

/// A program among several that share nodes and network.
struct Tenant {
    const tracefile::Trace* trace = nullptr;
    const ReplayRequest* request = nullptr;
};

/// Replays programs that start together and meet on the network. Results are in the programs' order. Fabric,
/// settings of the network and details are those of the first one's request. Visible, so that profilers find
/// it by name.
[[gnu::visibility("default")]] std::vector<ReplayResult> replay_together(const std::vector<Tenant>& tenants);

/// Ends all replays that run now, in any thread, with a ReplayError. Those that begin later run.
void interrupt_replays();

}  // namespace linkworth::replay
