// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// A hybrid program: between two calls all OpenMP threads compute. Prints the CPU time of the process and of
// the thread that calls MPI in the second of two such intervals: the first teaches the tracer that a long one
// follows.
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 2 };

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
    int level, rank;
    double process = 0, own = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        process = read_clock(CLOCK_PROCESS_CPUTIME_ID), own = read_clock(CLOCK_THREAD_CPUTIME_ID);
#pragma omp parallel num_threads(THREADS)
        {
            double start = read_clock(CLOCK_THREAD_CPUTIME_ID);
            while (read_clock(CLOCK_THREAD_CPUTIME_ID) - start < 0.05) continue;
        }
        process = read_clock(CLOCK_PROCESS_CPUTIME_ID) - process;
        own = read_clock(CLOCK_THREAD_CPUTIME_ID) - own;
    }
    printf("%.6f %.6f\n", process, own);
    MPI_Comm_size(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return 0;
}
