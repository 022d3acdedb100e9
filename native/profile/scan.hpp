// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// One pass over all events of a trace: times, calls, sizes, partners.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "calls/call_names.hpp"
#include "calls/collectives/operation.hpp"
#include "profile/loop_walk.hpp"
#include "profile/traffic.hpp"
#include "profile/waits.hpp"
#include "trace/trace.hpp"

namespace linkworth::profile {

struct CallTotals {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  ///< sent, or the capacity of a receive
    double seconds = 0;       ///< inside the call
};

/// Times of one rank, in seconds.
struct RankTimes {
    std::uint64_t events = 0;
    double before_init = 0;     ///< before MPI_Init, in no other time
    double compute = 0;         ///< between calls: CPU time if it was read, else wall time
    double compute_wall = 0;    ///< between calls, wall time
    double descheduled = 0;     ///< wall time beyond CPU time between calls, if CPU time was read
    double communication = 0;   ///< inside MPI calls but MPI_Init and MPI_Finalize
    double init = 0;            ///< inside MPI_Init and MPI_Finalize
    double marked = 0;          ///< wall time between MPI_Pcontrol(1) and MPI_Pcontrol(0)
    double marked_compute = 0;  ///< as `compute`, between those
    double files = 0;           ///< inside calls to files, which the replay takes for computation
    double marked_files = 0;    ///< of these, between MPI_Pcontrol(1) and MPI_Pcontrol(0)
};

struct Scan {
    /// `nodes`: the node of each rank; empty if it is not known. `activities`: receives what the ranks do, if
    /// not null.
    Scan(const tracefile::Trace& trace, std::uint32_t matrix_rows, std::vector<std::uint32_t> nodes,
         ActivityMap* activities);

    std::vector<CallTotals> calls;  ///< by entry of the table of names
    std::vector<RankTimes> ranks;
    Traffic traffic;
    Waits waits;
    ActivityMap* activities;
    std::vector<replay::CallName> names;
    std::uint64_t global_bytes = 0;  ///< of the traffic: all-to-all, all-gather and reduce-scatter exchanges
    std::map<std::string, std::uint64_t> unmodelled;  ///< communicating calls without a model
    std::vector<tracefile::Damage> damage;            ///< met while decoding
};

/// Reads every event once. Memory: a decoded block of each rank, members of communicators, open messages and
/// collectives, and `matrix_rows` squared numbers; not more with more events. `rules` decide which messages a
/// collective is made of. `walk`: also receives the calls of rank 0, if not null.
Scan scan(const tracefile::Trace& trace, std::uint32_t matrix_rows, std::vector<std::uint32_t> nodes = {},
          const replay::collectives::Rules& rules = {}, LoopWalk* walk = nullptr,
          ActivityMap* activities = nullptr);

/// Returns what the ranks did, from the end of the first MPI_Init on.
ActivityMap activities(const tracefile::Trace& trace);

}  // namespace linkworth::profile
