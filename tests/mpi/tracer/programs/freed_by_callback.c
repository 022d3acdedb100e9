// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Two ranks; a communicator and a window that the deletion of an attribute frees, as libraries do with what
// they cache. Later ones may get their handles.
#include "check.h"

struct cached {
    MPI_Comm comm;
    MPI_Win window;
};

static int delete_cached(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)extra;
    struct cached* cached = value;
    MPI_Win_free(&cached->window);
    return MPI_Comm_free(&cached->comm);
}

static void sum_of_ones(MPI_Comm comm, int expected) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == expected);
}

int main(int argc, char** argv) {
    int key, rank, data = 0;
    MPI_Comm owner, alone, both;
    MPI_Win window;
    struct cached cached;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &owner);
    MPI_Comm_dup(MPI_COMM_WORLD, &cached.comm);
    MPI_Win_create(&data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &cached.window);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_cached, &key, NULL);
    MPI_Comm_set_attr(owner, key, &cached);
    MPI_Comm_free(&owner);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    MPI_Comm_dup(MPI_COMM_WORLD, &both);
    for (int turn = 0; turn < 2; turn++) {
        sum_of_ones(alone, 1);
        sum_of_ones(both, 2);
    }
    MPI_Win_create(&data, sizeof data, 1, MPI_INFO_NULL, both, &window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&both);
    MPI_Comm_free_keyval(&key);
    if (rank == 0) printf("all right\n");
    MPI_Finalize();
    return 0;
}
