// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Exchanges a few messages, then ends as its argument says: abort, kill, hang or exit.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const char* ending = argc > 1 ? argv[1] : "exit";
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 100; ++step) {
        int sum = 0;
        MPI_Allreduce(&step, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (strcmp(ending, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 9);
    if (strcmp(ending, "kill") == 0 && rank == 0) raise(SIGKILL);
    if (strcmp(ending, "exit") == 0) {
        MPI_Finalize();
        return 5;
    }
    char hangs[4096];
    snprintf(hangs, sizeof hangs, "%s.%d", argv[0], rank);
    fclose(fopen(hangs, "w"));
    for (;;) sleep(1);
}
