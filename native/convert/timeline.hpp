// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A trace as a timeline of other tools: a track for each rank, an entry for each MPI call, a link for each
/// message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace linkworth::convert {

struct TimelineResult {
    std::uint64_t events = 0;
    std::uint64_t messages = 0;       ///< sends, each the start of a link
    std::uint64_t half_messages = 0;  ///< of Paje: sent and never received, or the other way round; left out
    std::uint64_t unplaced = 0;       ///< as RankMessages::unplaced
    std::uint64_t bytes = 0;
};

/// Writes the file `path` as a Paje trace, in the order of time. `hosts`: by rank, empty if they are not
/// known. Throws tracefile::WriteError. Format: B. Stein, J. Chassin de Kergommeaux, G. Mounié, "Pajé trace
/// file format", and L. Schnorr, "Paje File Format" (PajeNG's manual). Tested with pj_dump 1.3.6.
TimelineResult write_paje(const tracefile::Trace& trace, const std::string& path,
                          const std::vector<std::string>& hosts);

/// Writes the file `path` as a Perfetto trace, rank after rank, otherwise like `write_paje`. Field numbers
/// come from Perfetto's published schema (perfetto_trace.proto of v0.59, perfetto.dev, "Writing TrackEvent
/// Protos Synthetically", read 2026-11-22).
TimelineResult write_perfetto(const tracefile::Trace& trace, const std::string& path,
                              const std::vector<std::string>& hosts);

}  // namespace linkworth::convert
