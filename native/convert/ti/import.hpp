// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A trace from SimGrid's time-independent traces. The actions are those that SMPI replays
/// (src/smpi/internals/ smpi_replay.cpp at 01565540; the numbers of datatypes: src/smpi/mpi/smpi_datatype.cpp
/// at 01761d65; both read 2026-11-22).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace linkworth::convert {

struct TiImportResult {
    std::uint32_t ranks = 0;
    std::uint64_t actions = 0;
    std::uint64_t events = 0;
    std::uint64_t bytes = 0;       ///< of the trace
    std::uint64_t idle_waits = 0;  ///< for requests that nothing had begun
    std::uint64_t unmatched = 0;   ///< pairs of ranks that send other messages than they receive
    std::map<std::string, std::uint64_t> unknown;  ///< actions without an event, with their counts
};

/// Reads a file a rank, in their order, or one file with the actions of all ranks, and writes the trace
/// `output`. Calls take no time; computation is its flops at `flops_per_second`. Throws ConvertError and
/// tracefile::WriteError.
TiImportResult read_ti(const std::vector<std::string>& paths, double flops_per_second,
                       const std::string& output, const std::string& metadata_json);

}  // namespace linkworth::convert
