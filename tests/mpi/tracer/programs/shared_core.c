// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// A rank that waits for a message which another one sends late: it prints how often it slept. The message
// comes after 0.3 s or, with an argument, after that many sleeps.
#include "check.h"

#include <sys/resource.h>
#include <unistd.h>

static long sleeps_of(int process) {
    char path[64], line[256];
    long sleeps = -1;
    snprintf(path, sizeof path, "/proc/%d/status", process);
    FILE* file = fopen(path, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file)) sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps);
    fclose(file);
    CHECK(sleeps >= 0);
    return sleeps;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, token = 0, other = (int)getpid();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct rusage before, after;
    MPI_Bcast(&other, 1, MPI_INT, 0, MPI_COMM_WORLD);
    getrusage(RUSAGE_THREAD, &before);
    if (rank == 0) MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    getrusage(RUSAGE_THREAD, &after);
    if (rank == 1) {
        long until = argc > 1 ? sleeps_of(other) + atol(argv[1]) : 0;
        do usleep(argc > 1 ? 1000 : 300000);
        while (sleeps_of(other) < until);
        MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%ld\n", after.ru_nvcsw - before.ru_nvcsw);
    MPI_Finalize();
    return 0;
}
