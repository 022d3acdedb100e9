// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A trace as SimGrid's time-independent traces, which `smpirun -replay` simulates: a file per rank, an
/// action per line. The actions and their arguments are those of SimGrid 3.32 (simgrid.org, "SMPI trace
/// replay"; src/smpi/internals/smpi_replay.cpp at 01565540, read 2026-11-22). Each was tested with Debian's
/// 3.32.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "calls/collectives/operation.hpp"
#include "trace/trace.hpp"

namespace linkworth::convert {

struct TiOptions {
    std::string folder;             ///< exists; gets `rank-N.txt` and `ti.txt`
    double flops_per_second = 1e9;  ///< computation's seconds times this are its flops
    bool whole = false;             ///< else only what MPI_Pcontrol marks, if the program marks anything
    bool collectives_as_messages = false;    ///< also those of the whole world
    replay::collectives::Rules collectives;  ///< whose algorithms give the messages of collectives
};

struct TiResult {
    bool marked_region = false;
    std::uint64_t actions = 0;
    std::uint64_t bytes = 0;
    std::uint64_t fixed_wildcards = 0;  ///< receives from any source or tag, fixed to their match
    std::uint64_t unmatched = 0;        ///< pairs of ranks that send other messages than they receive
    std::map<std::string, std::uint64_t> as_messages;  ///< collectives written as their messages
    std::map<std::string, std::uint64_t> as_sleep;     ///< calls written as the time that they took
};

/// Throws ConvertError for a rate that is not finite or not positive.
void check_flops_per_second(double rate);

/// Throws ConvertError, and tracefile::WriteError if the files cannot be written.
TiResult write_ti(const tracefile::Trace& trace, const TiOptions& options);

}  // namespace linkworth::convert
