// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// One decoded event, in the form that a cursor keeps for the next call.
#pragma once

#include <cstdint>

namespace linkworth::tracefile {

/// An event as a cursor keeps it for the next call.
struct EventRow {
    double gap_seconds = 0;
    double cpu_seconds = -1;
    double duration_seconds = 0;
    std::uint32_t shape = 0;     ///< number in the block
    bool has_notes = false;      ///< its thread or its overlap is in the block's notes
    bool has_arguments = false;  ///< which are beside the row, not in its shape
};

/// Arguments in which messages of one shape may differ.
struct Arguments {
    std::uint64_t bytes = 0;
    std::int32_t peer = 0;
    std::int32_t tag = 0;
};

}  // namespace linkworth::tracefile
