// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Exchanges a few messages, then ends by its argument: abort, kill, hang or exit. Rank 0 aborts or is
// killed when the others have left their last call.
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* program;

static void name_file(int rank, char* name, size_t bytes) { snprintf(name, bytes, "%s.%d", program, rank); }

static void wait_for_others(int ranks) {
    for (int rank = 1; rank < ranks; ++rank) {
        char hangs[4096];
        name_file(rank, hangs, sizeof hangs);
        while (access(hangs, F_OK) != 0) usleep(1000);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    program = argv[0];
    const char* ending = argc > 1 ? argv[1] : "exit";
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char hangs[4096];
    name_file(rank, hangs, sizeof hangs);
    unlink(hangs);  // of an earlier run
    for (int step = 0; step < 100; ++step) {
        int sum = 0;
        MPI_Allreduce(&step, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    const bool dies = strcmp(ending, "abort") == 0 || strcmp(ending, "kill") == 0;
    if (dies && rank == 0) wait_for_others(ranks);
    if (strcmp(ending, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 9);
    if (strcmp(ending, "kill") == 0 && rank == 0) raise(SIGKILL);
    if (strcmp(ending, "exit") == 0) {
        MPI_Finalize();
        return 5;
    }
    fclose(fopen(hangs, "w"));
    for (;;) sleep(1);
}
