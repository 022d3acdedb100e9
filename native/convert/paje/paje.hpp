// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A trace as a Paje trace: a container for each rank, a state for each MPI call, a link for each message.
/// Format: B. Stein, J. Chassin de Kergommeaux, G. Mounié, "Pajé trace file format", and L. Schnorr, "Paje
/// File Format" (PajeNG's manual). Tested with pj_dump 1.3.6.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace linkworth::convert {

struct PajeResult {
    std::uint64_t events = 0;
    std::uint64_t messages = 0;
    std::uint64_t half_messages = 0;  ///< sent and never received, or the other way round: left out
    std::uint64_t unplaced = 0;       ///< as RankMessages::unplaced
    std::uint64_t bytes = 0;
};

/// Writes the file `path`, in the order of time. `hosts`: by rank, empty if they are not known. Throws
/// tracefile::WriteError.
PajeResult write_paje(const tracefile::Trace& trace, const std::string& path,
                      const std::vector<std::string>& hosts);

}  // namespace linkworth::convert
