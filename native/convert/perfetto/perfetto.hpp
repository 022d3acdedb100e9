// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A trace as a Perfetto trace: a track for each rank, a slice for each MPI call, a flow for each message.
/// Field numbers come from Perfetto's published schema (perfetto_trace.proto of v0.59, perfetto.dev, "Writing
/// TrackEvent Protos Synthetically", read 2026-11-22).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace linkworth::convert {

struct PerfettoResult {
    std::uint64_t events = 0;
    std::uint64_t messages = 0;  ///< sends, each the start of a flow
    std::uint64_t unplaced = 0;  ///< as RankMessages::unplaced
    std::uint64_t bytes = 0;
};

/// Writes the file `path`, rank after rank. `hosts`: by rank, empty if they are not known. Throws
/// tracefile::WriteError.
PerfettoResult write_perfetto(const tracefile::Trace& trace, const std::string& path,
                              const std::vector<std::string>& hosts);

}  // namespace linkworth::convert
