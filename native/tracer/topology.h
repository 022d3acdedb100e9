// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Neighbours of a rank in a communicator with a process topology.
#ifndef LINKWORTH_TOPOLOGY_H
#define LINKWORTH_TOPOLOGY_H

#include "mpi_library.h"

#pragma GCC visibility push(hidden)

/// Neighbours in the order of the neighbourhood collectives (MPI 4.1, 8.6). Ranks as the library numbers
/// them.
struct lw_neighbours {
    bool known;  ///< the communicator has a topology
    int sources, destinations;
    int* ranks;  ///< sources, then destinations; to be freed
};

/// Asks the library. COMM is of one group (no inter-communicator).
struct lw_neighbours lw_neighbours_of(MPI_Comm comm);

#pragma GCC visibility pop
#endif
