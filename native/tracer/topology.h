// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Neighbours of a rank in a communicator with a process topology.
#ifndef LINKWORTH_TOPOLOGY_H
#define LINKWORTH_TOPOLOGY_H

#include "mpi_library.h"

#pragma GCC visibility push(hidden)

/// The topology that a communicator has by its constructor. The library is not asked: Open MPI reports the
/// parent's topology for the results of MPI_Comm_create_group and MPI_Dist_graph_create.
enum lw_topology { LW_NO_TOPOLOGY, LW_GRID, LW_GRAPH, LW_DISTRIBUTED_GRAPH, LW_TOPOLOGY_OF_PARENT };

/// Neighbours in the order of the neighbourhood collectives (MPI 4.1, 8.6). Ranks as the library numbers
/// them.
struct lw_neighbours {
    bool known;  ///< the communicator has a topology
    int sources, destinations;
    int* ranks;  ///< sources, then destinations; to be freed
};

/// COMM is of one group (no inter-communicator).
struct lw_neighbours lw_neighbours_of(MPI_Comm comm, enum lw_topology topology);

#pragma GCC visibility pop
#endif
