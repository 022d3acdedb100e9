// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// MPI-4's persistent collectives on four ranks, each started as often as the argument requires.
#include "check.h"

int main(int argc, char** argv) {
    int rank, size, a[16], b[16], ones[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3}, bytes[4] = {0, 4, 8, 12};
    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    CHECK(size == 4);
    const int times = atoi(argv[argc - 1]);
    for (int i = 0; i < 16; i++) a[i] = b[i] = rank;
    REPEAT(times, MPI_Barrier_init, comm);
    REPEAT(times, MPI_Bcast_init, a, 2, MPI_INT, 1, comm);
    CHECK(a[1] == 1);
    for (int i = 0; i < 16; i++) a[i] = rank;
    REPEAT(times, MPI_Reduce_init, a, b, 2, MPI_INT, MPI_SUM, 2, comm);
    CHECK(rank != 2 || b[0] == 6);
    REPEAT(times, MPI_Allreduce_init, a, b, 2, MPI_INT, MPI_SUM, comm);
    CHECK(b[1] == 6);
    REPEAT(times, MPI_Scan_init, a, b, 2, MPI_INT, MPI_SUM, comm);
    REPEAT(times, MPI_Exscan_init, a, b, 2, MPI_INT, MPI_SUM, comm);
    REPEAT(times, MPI_Reduce_scatter_init, a, b, ones, MPI_INT, MPI_SUM, comm);
    REPEAT(times, MPI_Reduce_scatter_block_init, a, b, 1, MPI_INT, MPI_SUM, comm);
    CHECK(b[0] == 6);
    REPEAT(times, MPI_Gather_init, a, 1, MPI_INT, b, 1, MPI_INT, 3, comm);
    REPEAT(times, MPI_Gatherv_init, a, 1, MPI_INT, b, ones, places, MPI_INT, 3, comm);
    CHECK(rank != 3 || b[2] == 2);
    REPEAT(times, MPI_Scatter_init, a, 1, MPI_INT, b, 1, MPI_INT, 3, comm);
    REPEAT(times, MPI_Scatterv_init, a, ones, places, MPI_INT, b, 1, MPI_INT, 3, comm);
    CHECK(b[0] == 3);
    REPEAT(times, MPI_Allgather_init, a, 1, MPI_INT, b, 1, MPI_INT, comm);
    REPEAT(times, MPI_Allgatherv_init, a, 1, MPI_INT, b, ones, places, MPI_INT, comm);
    REPEAT(times, MPI_Alltoall_init, a, 1, MPI_INT, b, 1, MPI_INT, comm);
    REPEAT(times, MPI_Alltoallv_init, a, ones, places, MPI_INT, b, ones, places, MPI_INT, comm);
    REPEAT(times, MPI_Alltoallw_init, a, ones, bytes, types, b, ones, bytes, types, comm);
    CHECK(b[2] == 2);
    if (rank == 0) printf("all right\n");
    MPI_Finalize();
    return 0;
}
