// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// A ring of short messages with an all-reduce after every fourth, and argv[1] additions between the messages.
#include <mpi.h>
#include <stdlib.h>

enum { TURNS = 2000, DOUBLES = 4096 };

int main(int argc, char** argv) {
    static volatile double sums[DOUBLES];
    int rank, ranks, additions = argc > 1 ? atoi(argv[1]) : 0;
    double one = 1, sum;
    char sent[64] = {0}, received[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < additions; i++) sums[i % DOUBLES] += one * i;
        MPI_Sendrecv(sent, sizeof sent, MPI_CHAR, next, 0, received, sizeof received, MPI_CHAR, before, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (turn % 4 == 0) MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
