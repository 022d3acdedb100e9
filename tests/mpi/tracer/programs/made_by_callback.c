// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Two ranks; copying an attribute makes a communicator, as libraries do that cache one of their own.
#include "check.h"

static int copy_cached(MPI_Comm from, int key, void* extra, void* value, void* copy, int* keep) {
    (void)from, (void)key, (void)extra;
    MPI_Comm* cached = malloc(sizeof *cached);
    *(MPI_Comm**)copy = cached;
    *keep = 1;
    return MPI_Comm_dup(*(MPI_Comm*)value, cached);
}

static int delete_cached(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)extra;
    int answer = MPI_Comm_free(value);
    free(value);
    return answer;
}

static void sum_of_ones(MPI_Comm owner, int key) {
    MPI_Comm* cached;
    int found, one = 1, sum = 0;
    MPI_Comm_get_attr(owner, key, &cached, &found);
    CHECK(found);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *cached);
    CHECK(sum == 2);
}

int main(int argc, char** argv) {
    int key, rank;
    MPI_Comm owner, copy, later;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_keyval(copy_cached, delete_cached, &key, NULL);
    MPI_Comm* cached = malloc(sizeof *cached);
    MPI_Comm_dup(MPI_COMM_WORLD, cached);
    MPI_Comm_dup(MPI_COMM_WORLD, &owner);
    MPI_Comm_set_attr(owner, key, cached);
    MPI_Comm_dup(owner, &copy);
    FINISH(MPI_Comm_idup, owner, &later);
    sum_of_ones(copy, key);
    sum_of_ones(later, key);
    MPI_Comm_free(&owner);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&later);
    MPI_Comm_free_keyval(&key);
    if (rank == 0) printf("all right\n");
    MPI_Finalize();
    return 0;
}
