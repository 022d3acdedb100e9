// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "skeleton/registry.hpp"

namespace linkworth::skeleton {

struct Recording {
    std::uint64_t events = 0;
    std::uint64_t file_bytes = 0;
};

/// Called from any thread, one at a time, with the number of ranks that are done. An exception ends the
/// recording.
using Progress = std::function<void(std::uint32_t ranks_done)>;

/// Throws UsageError if the program cannot run with these arguments on that many ranks.
void check(const Skeleton& skeleton, Arguments arguments, int ranks);

/// Writes the trace that a run on `ranks` ranks would leave, with computation of `seconds_per_operation` in
/// each phase, by at most `threads` threads. Each thread keeps the state of one rank. Throws UsageError for
/// arguments with which the program cannot run, TraceError if the trace cannot be written.
Recording record(const Skeleton& skeleton, Arguments arguments, int ranks,
                 const std::vector<double>& seconds_per_operation, const std::string& path,
                 const std::string& metadata_json, std::size_t threads, const Progress& progress);

/// Operations of one rank's timed region, by phase, and then the bytes that it moves from and to memory past
/// `cache_bytes` of cache. Throws UsageError as `record` does.
std::vector<double> count_work(const Skeleton& skeleton, Arguments arguments, int ranks, int rank,
                               double cache_bytes);

}  // namespace linkworth::skeleton
