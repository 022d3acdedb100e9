// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// A program as a user may bring one: computes, exchanges halos with its neighbours in a ring, and sums.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 4096, STEPS = 20 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double* field = malloc(sizeof(double) * (CELLS + 1));
    for (int i = 0; i <= CELLS; ++i) field[i] = rank + i * 1e-3;
    double total = 0.0;
    for (int step = 0; step < STEPS; ++step) {
        for (int sweep = 0; sweep < 50; ++sweep)
            for (int i = 0; i < CELLS; ++i) field[i] = 0.5 * (field[i] + field[i + 1]);
        MPI_Request requests[2];
        MPI_Irecv(&field[CELLS], 1, MPI_DOUBLE, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&field[0], 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        double mine = field[0];
        MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("total %.6f\n", total);
    free(field);
    MPI_Finalize();
    return 0;
}
