// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Exchanges of a message each way of which one rank begins later, so that it matters what its connection
// carries first. Arguments: "computes" (the second rank begins later, after a computation) or "waits" (it
// waits for the first inside MPI while that computes, the first having begun already), repetitions, bytes,
// microseconds of computation. Prints the seconds of a repetition, the median.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { data = 1, go = 2, warm_up = 2 };

static void compute(double seconds) {
    const double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end) continue;
}

static int in_order(const void* a, const void* b) {
    const double left = *(const double*)a, right = *(const double*)b;
    return (left > right) - (left < right);
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (count != 5) MPI_Abort(MPI_COMM_WORLD, 2);
    const int waits = strcmp(arguments[1], "waits") == 0;
    const int repetitions = atoi(arguments[2]), bytes = atoi(arguments[3]);
    const double seconds = 1e-6 * atof(arguments[4]);
    const int partner = 1 - rank;
    char* const out = calloc((size_t)bytes + 1, 1);
    char* const in = calloc((size_t)bytes + 1, 1);
    double* const took = calloc((size_t)repetitions + 1, sizeof *took);
    if (out == NULL || in == NULL || took == NULL) MPI_Abort(MPI_COMM_WORLD, 3);

    double before = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = -warm_up; i < repetitions; ++i) {
        MPI_Request both[2];
        if (i == 0) MPI_Pcontrol(1);
        before = MPI_Wtime();
        if (rank == 1 && waits) MPI_Recv(NULL, 0, MPI_BYTE, 0, go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1 && !waits) compute(seconds);
        MPI_Irecv(in, bytes, MPI_BYTE, partner, data, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(out, bytes, MPI_BYTE, partner, data, MPI_COMM_WORLD, &both[1]);
        if (rank == 0 && waits) {
            compute(seconds);
            MPI_Send(NULL, 0, MPI_BYTE, 1, go, MPI_COMM_WORLD);
        }
        MPI_Wait(&both[0], MPI_STATUS_IGNORE);
        MPI_Wait(&both[1], MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (i >= 0) took[i] = MPI_Wtime() - before;
    }
    MPI_Pcontrol(0);
    qsort(took, (size_t)repetitions, sizeof *took, in_order);
    if (rank == 0) printf("%.9f\n", took[repetitions / 2]);
    free(took);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
