// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Groups of ranks that shared a node when a program ran, as far as the program itself requested them.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace linkworth::profile {

/// A communicator of MPI_Comm_split_type, or the ranks of a window of MPI_Win_allocate_shared.
struct NodeGroup {
    bool shares_memory = false;         ///< a window
    std::vector<std::int32_t> members;  ///< world ranks
    std::vector<std::int32_t> among;    ///< world ranks of the communicator that was split
    std::uint64_t calls = 0;            ///< messages and collectives on it, and on communicators made from it
};

/// Each group of equal members once. The events of a trace are read only if it names one of the two calls.
std::vector<NodeGroup> node_groups(const tracefile::Trace& trace);

}  // namespace linkworth::profile
