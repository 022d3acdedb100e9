// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Calls MPI with nothing between the calls, while a reading of the process's CPU clock takes 300 us. Readings
// before the first of these calls are quick, in which the tracer may weigh one. With an argument all are
// quick, and it prints how many there were.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long nanoseconds_since(struct timespec start) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec;
}

static bool slow;
static int readings;

int clock_gettime(clockid_t clock, struct timespec* time) {
    if (clock == CLOCK_PROCESS_CPUTIME_ID && ++readings && slow) {
        struct timespec start;
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &start);
        while (nanoseconds_since(start) < 300000) continue;
    }
    return (int)syscall(SYS_clock_gettime, clock, time);
}

int main(int argc, char** argv) {
    int found, position = 0;
    char packed[8];
    bool quick = argc > 1;
    MPI_Init(&argc, &argv);
    slow = !quick;
    for (int i = 0; i < 1000 && !quick; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100000 && quick; i++, position = 0)
        MPI_Pack(&i, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    if (quick) printf("%d\n", readings);
    MPI_Finalize();
    return 0;
}
