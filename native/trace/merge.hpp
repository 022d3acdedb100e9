// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Puts the parts of a run together into one trace.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace linkworth::tracefile {

/// Facts about one rank after the merge; times in seconds.
struct MergedRank {
    std::uint32_t rank = 0;
    std::string host;
    std::string processor;  ///< empty: not known
    std::int32_t pid = 0;
    std::string state = "cut";  ///< "complete", "cut", "aborted", "disk full"
    double start_seconds = 0;   ///< from the trace's origin
    double elapsed_seconds = 0;
    double cpu_seconds = 0;
    double helpers_seconds = 0;  ///< CPU time of threads that call no MPI, of which no gap contains a part
    std::int32_t cores = 0;
    std::int32_t first_core = -1;  ///< of those that the process may use; -1: not known
    std::uint64_t dropped_events = 0;
    std::uint64_t events = 0;
};

struct MergeResult {
    std::uint32_t ranks = 0;
    std::uint64_t events = 0;
    std::uint64_t file_bytes = 0;
    std::vector<MergedRank> rank_info;  ///< by rank; a rank without a part is "cut" and has no host
    std::vector<std::string> damage;    ///< losses, one sentence each
    std::map<std::string, std::uint64_t> unmodelled;  ///< communicating calls recorded by name and time only
};

struct MergeOptions {
    bool compress = true;
    std::uint32_t step_ns = 0;  ///< to which times are rounded; 0: they are kept as they were recorded
};

/// Returns the trace's metadata, a JSON object, from the ranks and the damage.
using MakeMetadata = std::function<std::string(const MergeResult&)>;

/// Merges `parts` into `output`. Throws TraceError if no part can be used, WriteError if the file cannot be
/// written. A part that cannot be used is named in `damage`.
MergeResult merge_parts(const std::vector<std::string>& parts, const std::string& output,
                        const MakeMetadata& make_metadata, const MergeOptions& options);

}  // namespace linkworth::tracefile
