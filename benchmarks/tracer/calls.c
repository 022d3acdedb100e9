// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Time of MPI calls in ns: one rank with calls that do little, two ranks with an 8-byte ping-pong. CPU time
// for the former, wall time for the latter; one "name value" a line.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { CALLS = 200000 };

static double cpu_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void one_rank(void) {
    int flag, rank, own = 1, sum;
    MPI_Request request;
    double start = cpu_now();
    for (int i = 0; i < CALLS; i++) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("comm_rank %.3f\n", (cpu_now() - start) / CALLS);
    start = cpu_now();
    for (int i = 0; i < CALLS; i++) MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    printf("iprobe %.3f\n", (cpu_now() - start) / CALLS);
    start = cpu_now();
    for (int i = 0; i < CALLS; i++) MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("allreduce %.3f\n", (cpu_now() - start) / CALLS);
    start = cpu_now();
    for (int i = 0; i < CALLS; i++) {
        MPI_Irecv(&sum, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Send(&own, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    printf("self_message %.3f\n", (cpu_now() - start) / (3.0 * CALLS));
}

static void two_ranks(int rank) {
    double data = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < CALLS; i++) {
        if (rank == 0) MPI_Send(&data, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(&data, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(&data, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("ping_pong %.3f\n", (MPI_Wtime() - start) * 1e9 / (2.0 * CALLS));
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1)
        one_rank();
    else if (size == 2)
        two_ranks(rank);
    MPI_Finalize();
    return 0;
}
