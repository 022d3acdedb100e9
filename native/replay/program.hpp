// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A program that is replayed, alone or beside others on the same nodes.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "calls/call_names.hpp"
#include "calls/communicators.hpp"
#include "replay/channels.hpp"
#include "replay/computation.hpp"
#include "replay/region.hpp"
#include "replay/replay.hpp"
#include "replay/windows.hpp"
#include "trace/trace.hpp"

namespace linkworth::replay {

struct Program {
    /// Its ranks are `first_rank` and the following ones of the simulation. Throws ReplayError if the
    /// placement does not fit.
    Program(const tracefile::Trace& its_trace, const ReplayRequest& its_request, std::uint32_t its_first_rank,
            bool in_time_order)
        : trace(its_trace),
          request(its_request),
          first_rank(its_first_rank),
          names(describe_names(trace.names())),
          rules(request.collectives),
          communicators(trace.ranks()),
          windows(trace.ranks()),
          computation(request),
          region(trace.ranks(), in_time_order),
          passed(trace.names().size()),
          input_output_seconds(trace.names().size()),
          mark_seconds(request.details.marks ? trace.ranks() : 0) {
        rules.applied = &forced_applied;
        if (request.node_of_rank.size() != trace.ranks())
            throw ReplayError("the placement has " + std::to_string(request.node_of_rank.size()) +
                              " ranks, but the trace has " + std::to_string(trace.ranks()));
    }

    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() = default;

    /// Counts payload that a rank of the program sends to another node.
    void count_between_nodes(std::uint32_t rank, std::uint64_t bytes) {
        internode_bytes += bytes;
        if (region.inside(rank)) marked_internode_bytes += bytes;
    }

    const tracefile::Trace& trace;
    const ReplayRequest& request;
    std::uint32_t first_rank;
    std::vector<CallName> names;
    collectives::Rules rules;
    std::set<collectives::Collective> forced_applied;
    Communicators communicators;
    Windows windows;
    Channels channels;
    Computation computation;
    Region region;
    std::vector<std::uint64_t> passed;              ///< by name: calls that only took their recorded time
    std::vector<double> input_output_seconds;       ///< by name, of all ranks
    std::vector<std::vector<double>> mark_seconds;  ///< [rank] of each MPI_Pcontrol; none if not kept
    std::uint64_t internode_bytes = 0;
    std::uint64_t marked_internode_bytes = 0;  ///< of those, while their sender was in the marked region
    std::uint64_t messages = 0;
    std::uint64_t events = 0;
};

}  // namespace linkworth::replay
