// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// A library that calls MPI for the program, as solvers do. Built without debug data and stripped.
#include <mpi.h>

void agree_on_nothing(MPI_Comm comm) {
    MPI_Barrier(comm);
    __asm__ volatile("");  // so that the call is no jump
}

int sum_over_all(int own, MPI_Comm comm) {
    int sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}
