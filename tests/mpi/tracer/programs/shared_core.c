// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// A rank that waits for a message which another one sends late: it prints how often it slept.
#include "check.h"

#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, token = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    if (rank == 0) MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    getrusage(RUSAGE_THREAD, &after);
    if (rank == 1) {
        usleep(300000);
        MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%ld\n", after.ru_nvcsw - before.ru_nvcsw);
    MPI_Finalize();
    return 0;
}
