// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace linkworth::netbench {

/// Tag of every message. Messages from one rank to another are distinguished by their order.
inline constexpr int kTag = 1;

/// Ranks that take part together. On other ranks, comm is MPI_COMM_NULL. Communicators live until
/// MPI_Finalize.
struct Group {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = -1;
    int size = 0;
    std::vector<int> nodes;  ///< number of each rank's node, by first appearance; known to outsiders too
    std::vector<std::string> node_names;  ///< of the world only

    bool is_member() const { return comm != MPI_COMM_NULL; }
    bool crosses(int a, int b) const {
        return nodes[static_cast<std::size_t>(a)] != nodes[static_cast<std::size_t>(b)];
    }
    int node_count() const;
};

/// Returns all ranks. MPI_Get_processor_name distinguishes the nodes.
Group world_group();

/// The members, in the order given, as ranks of a group. Collective over the whole.
Group part_of(const Group& whole, const std::vector<int>& members);

/// Waits until all of the communicator are here, asleep most of the time, so that those who measure have the
/// cores.
void wait_asleep(MPI_Comm comm);

}  // namespace linkworth::netbench
