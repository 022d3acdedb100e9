// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Communication that is no plain message and no plain collective, once in every form; checks what came.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, right, left;

static void expect(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void neighbours(void) {
    int dims[1] = {ranks}, periodic[1] = {0};
    MPI_Comm line;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, 0, &line);
    double mine[2] = {rank, rank}, theirs[2] = {-1, -1};
    MPI_Neighbor_alltoall(mine, 1, MPI_DOUBLE, theirs, 1, MPI_DOUBLE, line);
    expect(theirs[0] == rank - 1, "the left neighbour's number");
    MPI_Request request;
    MPI_Ineighbor_allgather(mine, 1, MPI_DOUBLE, theirs, 1, MPI_DOUBLE, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&line);
}

static void windows(void) {
    double* memory;
    MPI_Win window;
    MPI_Win_allocate(1000 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    static double data[1000];
    data[0] = rank;
    MPI_Win_fence(0, window);
    MPI_Put(data, 1000, MPI_DOUBLE, right, 0, 1000, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    expect(memory[0] == left, "what was put");
    MPI_Win_fence(0, window);
    for (int round = 0; round < 3; ++round) {
        double one = 1, before;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Fetch_and_op(&one, &before, MPI_DOUBLE, 0, 1, MPI_SUM, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_lock_all(0, window);
    MPI_Accumulate(data, 10, MPI_DOUBLE, right, 0, 10, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush(right, window);
    MPI_Request request;
    MPI_Rget(data, 10, MPI_DOUBLE, left, 0, 10, MPI_DOUBLE, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Group all, before, after;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &left, &before);
    MPI_Group_incl(all, 1, &right, &after);
    MPI_Win_post(before, 0, window);
    MPI_Win_start(after, 0, window);
    MPI_Put(data, 10, MPI_DOUBLE, right, 0, 10, MPI_DOUBLE, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_free(&window);
}

static void partitions(void) {
#if MPI_VERSION >= 4
    static double out[40], in[40];
    MPI_Request send, receive;
    MPI_Psend_init(out, 4, 10, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
    MPI_Precv_init(in, 2, 20, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
    for (int round = 0; round < 3; ++round) {
        MPI_Start(&receive);
        MPI_Start(&send);
        for (int partition = 0; partition < 4; ++partition) MPI_Pready(partition, send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
#endif
}

static void files(void) {
    MPI_File file;
    double mine[10] = {rank};
    MPI_File_open(MPI_COMM_WORLD, "remote.out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, (MPI_Offset)(rank * sizeof mine), mine, 10, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    right = (rank + 1) % ranks;
    left = (rank + ranks - 1) % ranks;
    neighbours();
    windows();
    partitions();
    files();
    MPI_Finalize();
    return 0;
}
