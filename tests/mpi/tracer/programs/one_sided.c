// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Four ranks in a reversed copy of the world; every call of one-sided communication.
#include "check.h"

static int rank, size, after;
static MPI_Comm comm;

static void fences(void) {
    double memory[8] = {0}, mine[2] = {rank, rank}, got[2] = {-1, -1};
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, comm, &window);
    MPI_Win_fence(0, window);
    MPI_Put(mine, 2, MPI_DOUBLE, after, 1, 2, MPI_DOUBLE, window);
    MPI_Put(mine, 2, MPI_DOUBLE, MPI_PROC_NULL, 1, 2, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    CHECK(memory[1] == (rank + size - 1) % size);
    MPI_Get(got, 1, MPI_DOUBLE, after, 1, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    CHECK(got[0] == rank);
    MPI_Accumulate(mine, 1, MPI_DOUBLE, after, 7, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    CHECK(memory[7] == (rank + size - 1) % size);
    MPI_Win_free(&window);
}

static void epochs_of_some(void) {
    int* memory;
    int before = (rank + size - 1) % size, done = 0;
    MPI_Win window;
    MPI_Group all, sources, targets;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window);
    memory[0] = -1;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    // The groups come from the world, in which the ranks are numbered the other way round.
    int source = size - 1 - before, target = size - 1 - after;
    MPI_Group_incl(all, 1, &source, &sources);
    MPI_Group_incl(all, 1, &target, &targets);
    MPI_Barrier(comm);
    MPI_Win_post(sources, 0, window);
    MPI_Win_start(targets, 0, window);
    MPI_Put(&rank, 1, MPI_INT, after, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    CHECK(memory[0] == before);
    MPI_Win_post(sources, 0, window);
    MPI_Win_start(targets, 0, window);
    MPI_Win_complete(window);
    while (!done) MPI_Win_test(window, &done);
    MPI_Group_free(&targets);
    MPI_Group_free(&sources);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
}

static void locks(void) {
    int *memory, one = 1, old = -1, two[2] = {5, 6}, fetched[2], zero = 0;
    MPI_Request requests[4];
    MPI_Win window;
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    memset(memory, 0, 8 * sizeof(int));
    MPI_Win_unlock(rank, window);
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, window);
    MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    CHECK(old >= 0 && old < size);
    MPI_Fetch_and_op(NULL, &old, MPI_INT, 0, 0, MPI_NO_OP, window);
    MPI_Win_flush_local(0, window);
    MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, after, 1, window);
    MPI_Win_flush_all(window);
    MPI_Get_accumulate(two, 2, MPI_INT, fetched, 2, MPI_INT, after, 2, 2, MPI_INT, MPI_SUM, window);
    MPI_Get_accumulate(NULL, 0, MPI_INT, fetched, 2, MPI_INT, after, 2, 2, MPI_INT, MPI_NO_OP, window);
    MPI_Win_flush_local_all(window);
    MPI_Win_sync(window);
    MPI_Rput(two, 2, MPI_INT, after, 4, 2, MPI_INT, window, &requests[0]);
    MPI_Rget(fetched, 1, MPI_INT, after, 2, 1, MPI_INT, window, &requests[1]);
    MPI_Raccumulate(two, 1, MPI_INT, after, 6, 1, MPI_INT, MPI_SUM, window, &requests[2]);
    MPI_Rget_accumulate(two, 1, MPI_INT, fetched + 1, 1, MPI_INT, after, 7, 1, MPI_INT, MPI_SUM, window,
                        &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    CHECK(fetched[0] == 5);
    MPI_Win_unlock_all(window);
    MPI_Barrier(comm);
    MPI_Win_lock(MPI_LOCK_SHARED, after, 0, window);
    MPI_Get(fetched, 2, MPI_INT, after, 1, 2, MPI_INT, window);
    MPI_Win_unlock(after, window);
    CHECK(fetched[0] == 1 && fetched[1] == 5);
    MPI_Win_free(&window);
}

static void other_windows(void) {
    int *memory, own[3] = {0};
    MPI_Win shared, dynamic;
    MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &shared);
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &dynamic);
    MPI_Win_attach(dynamic, own, sizeof own);
    MPI_Win_fence(0, dynamic);
    MPI_Win_fence(0, shared);
    MPI_Win_detach(dynamic, own);
    MPI_Win_free(&shared);
    MPI_Win_free(&dynamic);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    CHECK(size == 4);
    after = (rank + 1) % size;
    fences();
    epochs_of_some();
    locks();
    other_windows();
    if (rank == 0) printf("all right\n");
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
