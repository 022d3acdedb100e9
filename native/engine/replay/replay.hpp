// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Public interface: replays a recorded run on a fabric.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "replay/collectives/operation.hpp"
#include "replay/computation.hpp"
#include "replay/path.hpp"
#include "replay/recording.hpp"
#include "tracefile/trace.hpp"

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

struct ReplayOptions {
    FabricCosts fabric;
    std::vector<std::uint32_t> node_of_rank;  ///< one entry a rank
    ComputationCosts computation;
    /// Requests to send are answered, and answers handled, only while their rank is inside MPI, because the
    /// library has neither a thread nor a NIC for it. False: at once.
    bool progress_in_calls_only = false;
    collectives::Rules collectives;
    /// Received data that a reduction combines with its own, in bytes a second. Counts as overhead.
    double combine_bytes_per_second = std::numeric_limits<double>::infinity();
    bool pass_unmodelled = false;    ///< collectives that are not modelled keep their recorded time
    Recording* recording = nullptr;  ///< filled if not null
    bool tolerate_cut = false;       ///< stop where a cut trace ends instead of failing
    /// Only computation at this level of MPI_Pcontrol counts as such among the parts, any other as waiting.
    /// The result shows how much of the critical path is computation of one region. The times stay the same.
    std::optional<std::int32_t> counted_level;
    bool keep_marks = false;  ///< the result has the time of each MPI_Pcontrol
};

struct ReplayResult {
    double seconds = 0;  ///< of the marked region, or from MPI_Init to MPI_Finalize
    bool marked_region = false;
    double compute_seconds = 0;
    double overhead_seconds = 0;
    double latency_seconds = 0;
    double bandwidth_seconds = 0;
    double wait_seconds = 0;
    double scaled_compute_seconds = 0;  ///< of `compute_seconds`, without calls to files
    double link_latencies = 0;  ///< of links between nodes and switches, how many; of marked regions too
    double link_bandwidth_seconds = 0;        ///< on these links
    std::uint64_t internode_bytes = 0;        ///< of the whole run
    std::uint64_t timed_internode_bytes = 0;  ///< of the part that `seconds` is of
    std::uint64_t messages = 0;
    std::uint64_t events = 0;
    std::uint32_t threaded_ranks = 0;          ///< whose threads call MPI at once
    std::vector<double> rank_compute_seconds;  ///< scaled, of the same region; of threads, their mean
    /// Scaled, of the marked region, by level of MPI_Pcontrol, summed over ranks.
    std::map<std::int32_t, double> level_compute_seconds;
    std::map<std::string, std::uint64_t> unmodelled;     ///< calls that only passed as their recorded time
    std::map<std::string, double> input_output_seconds;  ///< recorded time in calls to files, of all ranks
    std::vector<std::vector<double>> mark_seconds;       ///< [rank] of each MPI_Pcontrol, if kept
    std::set<std::int32_t> levels;                       ///< of MPI_Pcontrol; 0 at the start
    std::vector<std::string> forced_applied;             ///< collectives that ran a forced algorithm
    std::vector<std::string> stopped;                    ///< where a cut trace ended, one sentence a rank
};

ReplayResult replay(const tracefile::Trace& trace, const ReplayOptions& options);

/// A program among several that share nodes and network.
struct Tenant {
    const tracefile::Trace* trace = nullptr;
    const ReplayOptions* options = nullptr;
};

/// Replays programs that start together and meet on the network. Results are in the programs' order. Fabric,
/// progress and recording are those of the first one's options. Visible, so that profilers find it by name.
[[gnu::visibility("default")]] std::vector<ReplayResult> replay_together(const std::vector<Tenant>& tenants);

}  // namespace linkworth::replay
