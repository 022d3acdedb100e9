// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Calls MPI with nothing between the calls, while a reading of the process's CPU clock takes 300 us. Only the
// first readings are quick, in which the tracer may weigh one.
#define _GNU_SOURCE
#include <mpi.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { QUICK_READINGS = 200 };

static long nanoseconds_since(struct timespec start) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
    static int readings;
    if (clock == CLOCK_PROCESS_CPUTIME_ID && ++readings > QUICK_READINGS) {
        struct timespec start;
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &start);
        while (nanoseconds_since(start) < 300000) continue;
    }
    return (int)syscall(SYS_clock_gettime, clock, time);
}

int main(int argc, char** argv) {
    int found;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 1000; i++) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
