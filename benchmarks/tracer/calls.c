// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Time of MPI calls in ns: one rank with calls that do little, two ranks with an 8-byte ping-pong. CPU time
// for the former, wall time for the latter; one "name value" a line. The calls are made in batches, and the
// quickest batch counts: what else the machine does only makes batches slower.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { BATCHES = 40, CALLS = 5000 };

static double cpu_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double wall_now(void) { return MPI_Wtime() * 1e9; }

#define MEASURE(name, clock, calls_in_turn, statements)                \
    do {                                                               \
        double least = 1e30;                                           \
        for (int batch = 0; batch < BATCHES; batch++) {                \
            double start = clock();                                    \
            for (int i = 0; i < CALLS; i++) {                          \
                statements                                             \
            }                                                          \
            double each = (clock() - start) / (calls_in_turn * CALLS); \
            if (each < least) least = each;                            \
        }                                                              \
        if (rank == 0) printf("%s %.3f\n", name, least);               \
    } while (0)

static void one_rank(int rank) {
    int flag, answer, own = 1, sum;
    MPI_Request request;
#if defined(__x86_64__)
    volatile uint64_t ticks;
    MEASURE("two_clocks", cpu_now, 1.0, ticks = __rdtsc(); ticks = __rdtsc(););
#endif
    MEASURE("comm_rank", cpu_now, 1.0, MPI_Comm_rank(MPI_COMM_WORLD, &answer););
    MEASURE("iprobe", cpu_now, 1.0, MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE););
    MEASURE("allreduce", cpu_now, 1.0, MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD););
    MEASURE("self_message", cpu_now, 3.0, MPI_Irecv(&sum, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
            MPI_Send(&own, 1, MPI_INT, 0, 1, MPI_COMM_WORLD); MPI_Wait(&request, MPI_STATUS_IGNORE););
}

static void two_ranks(int rank) {
    double data = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MEASURE("ping_pong", wall_now, 2.0, if (rank == 0) MPI_Send(&data, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(&data, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1) MPI_Send(&data, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD););
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1)
        one_rank(rank);
    else if (size == 2)
        two_ranks(rank);
    MPI_Finalize();
    return 0;
}
