// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "topology.h"

#include <stdlib.h>
#include <string.h>

static int* space_for(int ranks) { return calloc((size_t)ranks + 1, sizeof(int)); }

static struct lw_neighbours in_grid(MPI_Comm comm) {
    int dimensions = 0;
    lw_mpi.cartdim_get(comm, &dimensions);
    int* ranks = space_for(4 * dimensions);
    if (!ranks) return (struct lw_neighbours){.known = false};
    // A grid's neighbours are the same in both directions of a message.
    for (int i = 0; i < dimensions; i++) lw_mpi.cart_shift(comm, i, 1, &ranks[2 * i], &ranks[2 * i + 1]);
    memcpy(ranks + 2 * dimensions, ranks, 2 * (size_t)dimensions * sizeof *ranks);
    return (struct lw_neighbours){true, 2 * dimensions, 2 * dimensions, ranks};
}

static struct lw_neighbours in_graph(MPI_Comm comm) {
    int rank = 0, degree = 0;
    lw_mpi.comm_rank(comm, &rank);
    lw_mpi.graph_neighbors_count(comm, rank, &degree);
    int* ranks = space_for(2 * degree);
    if (!ranks) return (struct lw_neighbours){.known = false};
    lw_mpi.graph_neighbors(comm, rank, degree, ranks);
    memcpy(ranks + degree, ranks, (size_t)degree * sizeof *ranks);
    return (struct lw_neighbours){true, degree, degree, ranks};
}

static struct lw_neighbours in_distributed_graph(MPI_Comm comm) {
    int sources = 0, destinations = 0, weighted = 0;
    lw_mpi.dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
    int *ranks = space_for(sources + destinations), *weights = space_for(sources + destinations);
    if (ranks && weights)
        lw_mpi.dist_graph_neighbors(comm, sources, ranks, weights, destinations, ranks + sources,
                                    weights + sources);
    bool known = ranks && weights;
    free(weights);
    if (known) return (struct lw_neighbours){true, sources, destinations, ranks};
    free(ranks);
    return (struct lw_neighbours){.known = false};
}

struct lw_neighbours lw_neighbours_of(MPI_Comm comm, enum lw_topology topology) {
    switch (topology) {
        case LW_GRID: return in_grid(comm);
        case LW_GRAPH: return in_graph(comm);
        case LW_DISTRIBUTED_GRAPH: return in_distributed_graph(comm);
        default: return (struct lw_neighbours){.known = false};
    }
}
