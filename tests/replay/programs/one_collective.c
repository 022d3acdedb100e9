// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Calls one collective once: one_collective NAME BYTES, the bytes of one piece or of the vector.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const char* name = argv[1];
    const int bytes = atoi(argv[2]), count = bytes / 8;
    const MPI_Comm world = MPI_COMM_WORLD;
    int ranks = 0;
    MPI_Comm_size(world, &ranks);
    char* a = calloc((size_t)bytes * (size_t)ranks + 8, 1);
    char* b = calloc((size_t)bytes * (size_t)ranks + 8, 1);
    int* pieces = malloc((size_t)ranks * sizeof(int));
    int* places = malloc((size_t)ranks * sizeof(int));
    int* doubles = malloc((size_t)ranks * sizeof(int));
    for (int peer = 0; peer < ranks; peer++) {
        pieces[peer] = bytes;
        places[peer] = peer * bytes;
        doubles[peer] = count;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    int known = 0;
#define CASE(text, call) \
    if (strcmp(name, text) == 0) known = 1, call
    CASE("barrier", MPI_Barrier(world));
    CASE("bcast", MPI_Bcast(a, bytes, MPI_CHAR, 0, world));
    CASE("reduce", MPI_Reduce(a, b, count, MPI_DOUBLE, MPI_SUM, 0, world));
    CASE("allreduce", MPI_Allreduce(a, b, count, MPI_DOUBLE, MPI_SUM, world));
    CASE("gather", MPI_Gather(a, bytes, MPI_CHAR, b, bytes, MPI_CHAR, 0, world));
    CASE("gatherv", MPI_Gatherv(a, bytes, MPI_CHAR, b, pieces, places, MPI_CHAR, 0, world));
    CASE("scatter", MPI_Scatter(a, bytes, MPI_CHAR, b, bytes, MPI_CHAR, 0, world));
    CASE("scatterv", MPI_Scatterv(a, pieces, places, MPI_CHAR, b, bytes, MPI_CHAR, 0, world));
    CASE("allgather", MPI_Allgather(a, bytes, MPI_CHAR, b, bytes, MPI_CHAR, world));
    CASE("allgatherv", MPI_Allgatherv(a, bytes, MPI_CHAR, b, pieces, places, MPI_CHAR, world));
    CASE("alltoall", MPI_Alltoall(a, bytes, MPI_CHAR, b, bytes, MPI_CHAR, world));
    CASE("alltoallv", MPI_Alltoallv(a, pieces, places, MPI_CHAR, b, pieces, places, MPI_CHAR, world));
    CASE("reduce_scatter", MPI_Reduce_scatter(a, b, doubles, MPI_DOUBLE, MPI_SUM, world));
    CASE("reduce_scatter_block", MPI_Reduce_scatter_block(a, b, count, MPI_DOUBLE, MPI_SUM, world));
    CASE("scan", MPI_Scan(a, b, count, MPI_DOUBLE, MPI_SUM, world));
    CASE("exscan", MPI_Exscan(a, b, count, MPI_DOUBLE, MPI_SUM, world));
    CASE("ibarrier", MPI_Ibarrier(world, &request));
    CASE("ibcast", MPI_Ibcast(a, bytes, MPI_CHAR, 0, world, &request));
    CASE("ireduce", MPI_Ireduce(a, b, count, MPI_DOUBLE, MPI_SUM, 0, world, &request));
    CASE("iallreduce", MPI_Iallreduce(a, b, count, MPI_DOUBLE, MPI_SUM, world, &request));
    CASE("iallgather", MPI_Iallgather(a, bytes, MPI_CHAR, b, bytes, MPI_CHAR, world, &request));
    CASE("ialltoall", MPI_Ialltoall(a, bytes, MPI_CHAR, b, bytes, MPI_CHAR, world, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!known) fprintf(stderr, "no collective %s\n", name);
    MPI_Finalize();
    return known ? 0 : 2;
}
