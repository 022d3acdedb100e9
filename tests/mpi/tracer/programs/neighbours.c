// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Four ranks; every kind of process topology, and every neighbourhood collective on one of them.
#include "check.h"

static int rank, size;

static void grids(void) {
    MPI_Comm grid, copy, later, row;
    MPI_Request request;
    int dims[2] = {2, 2}, periods[2] = {0, 1}, remain[2] = {1, 0}, own = rank, got[4];
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    for (int i = 0; i < 4; i++) got[i] = -1;
    MPI_Neighbor_allgather(&own, 1, MPI_INT, got, 1, MPI_INT, grid);
    CHECK(got[0] == (rank < 2 ? -1 : rank - 2) && got[1] == (rank < 2 ? rank + 2 : -1));
    CHECK(got[2] == (rank ^ 1) && got[3] == (rank ^ 1));
    MPI_Comm_dup(grid, &copy);
    MPI_Comm_idup(grid, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Neighbor_alltoall((int[4]){rank, rank, rank, rank}, 1, MPI_INT, got, 1, MPI_INT, later);
    CHECK(got[2] == (rank ^ 1));
    MPI_Cart_sub(grid, remain, &row);
    MPI_Comm_free(&row);
    MPI_Comm_free(&later);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&grid);
}

static void graph(void) {
    MPI_Comm line;
    // 0 - 1 - 2 - 3
    int index[4] = {1, 3, 5, 6}, edges[6] = {1, 0, 2, 1, 3, 2}, own = rank, got[2] = {-1, -1};
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &line);
    MPI_Neighbor_allgather(&own, 1, MPI_INT, got, 1, MPI_INT, line);
    CHECK(got[0] == (rank == 0 ? 1 : rank - 1));
    MPI_Comm_free(&line);
}

// Rank r sends to r + 1, and all send to 0, which sends to nobody else twice.
static void fan_in(void) {
    MPI_Comm ring;
    int sources[4], destinations[2], indegree = 0, outdegree = 0;
    if (rank == 0)
        for (int i = 1; i < size; i++) sources[indegree++] = i;
    else
        sources[indegree++] = rank - 1;
    if (rank < size - 1) destinations[outdegree++] = rank + 1;
    if (rank > 0) destinations[outdegree++] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, indegree, sources, MPI_UNWEIGHTED, outdegree, destinations,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    // Rank r gives r + 1 elements to each.
    int send[8], receive[16], send_counts[2], send_places[2], counts[4], places[4], total = 0;
    MPI_Aint send_bytes[2], bytes[4];
    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    for (int i = 0; i < 8; i++) send[i] = rank;
    for (int i = 0; i < outdegree; i++) {
        send_counts[i] = rank + 1;
        send_places[i] = i * (rank + 1);
        send_bytes[i] = send_places[i] * (MPI_Aint)sizeof(int);
    }
    for (int i = 0; i < indegree; i++) {
        counts[i] = sources[i] + 1;
        places[i] = total;
        bytes[i] = places[i] * (MPI_Aint)sizeof(int);
        total += counts[i];
    }
#define GATHER send, 1, MPI_INT, receive, 1, MPI_INT, ring
#define GATHERV send, rank + 1, MPI_INT, receive, counts, places, MPI_INT, ring
#define TO_ALL send, 1, MPI_INT, receive, 1, MPI_INT, ring
#define TO_ALLV send, send_counts, send_places, MPI_INT, receive, counts, places, MPI_INT, ring
#define TO_ALLW send, send_counts, send_bytes, types, receive, counts, bytes, types, ring
    MPI_Neighbor_allgather(GATHER);
    CHECK(receive[0] == sources[0]);
    MPI_Neighbor_allgatherv(GATHERV);
    CHECK(receive[places[indegree - 1]] == sources[indegree - 1]);
    MPI_Neighbor_alltoall(TO_ALL);
    MPI_Neighbor_alltoallv(TO_ALLV);
    CHECK(receive[places[indegree - 1]] == sources[indegree - 1]);
    MPI_Neighbor_alltoallw(TO_ALLW);
    CHECK(receive[places[indegree - 1]] == sources[indegree - 1]);
    FINISH(MPI_Ineighbor_allgather, GATHER);
    FINISH(MPI_Ineighbor_allgatherv, GATHERV);
    FINISH(MPI_Ineighbor_alltoall, TO_ALL);
    FINISH(MPI_Ineighbor_alltoallv, TO_ALLV);
    FINISH(MPI_Ineighbor_alltoallw, TO_ALLW);
// Open MPI 5 has them, and still calls itself MPI 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
    REPEAT(2, MPI_Neighbor_allgather_init, GATHER);
    REPEAT(2, MPI_Neighbor_allgatherv_init, GATHERV);
    REPEAT(2, MPI_Neighbor_alltoall_init, TO_ALL);
    REPEAT(2, MPI_Neighbor_alltoallv_init, TO_ALLV);
    REPEAT(2, MPI_Neighbor_alltoallw_init, TO_ALLW);
    CHECK(receive[places[indegree - 1]] == sources[indegree - 1]);
#endif
    MPI_Comm_free(&ring);
}

// Each rank describes the edges of another one: the library must be asked who the neighbours are.
static void described_by_others(void) {
    MPI_Comm ring;
    int other = (rank + 2) % size, degree = 1, to = (other + 1) % size, weight = 3, own = rank, got = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &other, &degree, &to, &weight, MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_allgather(&own, 1, MPI_INT, &got, 1, MPI_INT, ring);
    CHECK(got == (rank + size - 1) % size);
    MPI_Comm_free(&ring);
}

// A grid and a graph of the first three ranks. Then a graph of the grid's ranks, which are no grid any more,
// and a communicator of two of them, which has no topology.
static void of_some_ranks(void) {
    MPI_Comm line, chain, ring, ends;
    MPI_Group three, two;
    int length = 3, open = 0, index[3] = {1, 3, 4}, edges[4] = {1, 0, 2, 1}, kept[2] = {2, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &length, &open, 0, &line);
    MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &chain);
    if (rank == 3) return;
    MPI_Barrier(line);
    int from = (rank + 2) % 3, to = (rank + 1) % 3;
    MPI_Dist_graph_create_adjacent(line, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
    MPI_Comm_free(&ring);
    MPI_Comm_group(MPI_COMM_WORLD, &three);
    MPI_Group_incl(three, 2, kept, &two);
    if (rank != 1) {
        MPI_Comm_create_group(line, two, 7, &ends);
        MPI_Comm_free(&ends);
    }
    MPI_Group_free(&two);
    MPI_Group_free(&three);
    MPI_Comm_free(&chain);
    MPI_Comm_free(&line);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size == 4);
    grids();
    graph();
    fan_in();
    described_by_others();
    of_some_ranks();
    if (rank == 0) printf("all right\n");
    MPI_Finalize();
    return 0;
}
