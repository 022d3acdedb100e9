// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// The communication of CG on a square grid of ranks. Each iteration computes, adds along the rows, and
// exchanges a message each way with the transposed rank. Arguments: iterations, bytes, milliseconds of
// computation, "sleep" or "burn". Sleeping ranks compute at once on any number of cores. A recording counts
// only the CPU time that is burnt. Prints the milliseconds of an iteration.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { warm_up = 3 };

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void compute(double seconds, int burns) {
    if (burns) {
        const double end = cpu_seconds() + seconds;
        while (cpu_seconds() < end) continue;
        return;
    }
    const struct timespec length = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&length, NULL);
}

static void exchange(int partner, const char* out, char* in, int bytes) {
    MPI_Request arrival;
    MPI_Irecv(in, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &arrival);
    MPI_Send(out, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
    MPI_Wait(&arrival, MPI_STATUS_IGNORE);
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank, ranks, side = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (side * side < ranks) side *= 2;
    if (count != 5 || side * side != ranks) MPI_Abort(MPI_COMM_WORLD, 2);
    const int iterations = atoi(arguments[1]), bytes = atoi(arguments[2]);
    const double seconds = 1e-3 * atof(arguments[3]);
    const int burns = strcmp(arguments[4], "burn") == 0;
    const int row = rank / side, column = rank % side, transposed = column * side + row;
    char* const out = calloc((size_t)bytes + 8, 1);
    char* const in = calloc((size_t)bytes + 8, 1);
    if (out == NULL || in == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
    srand((unsigned)rank + 1);

    double start = 0;
    for (int i = -warm_up; i < iterations; ++i) {
        if (i == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Pcontrol(1);
            start = MPI_Wtime();
        }
        const double uneven = 0.1 * rand() / RAND_MAX - 0.05;
        compute(seconds * (1 + uneven), burns);
        for (int step = 1; step < side; step *= 2)
            exchange(row * side + (column ^ step), out, in, bytes / side);
        if (transposed != rank) exchange(transposed, out, in, bytes);
        for (int step = 1; step < side; step *= 2) exchange(row * side + (column ^ step), out, in, 8);
    }
    const double took = MPI_Wtime() - start;
    MPI_Pcontrol(0);
    if (rank == 0) printf("%.6f\n", 1e3 * took / iterations);
    free(out);
    free(in);
    return MPI_Finalize();
}
