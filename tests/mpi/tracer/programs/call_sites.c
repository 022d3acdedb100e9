// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Calls of one procedure with the same arguments from two places, and from a function that is called twice.
#include <mpi.h>

static void beside(void) {
    MPI_Barrier(MPI_COMM_WORLD);  // in beside
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        MPI_Barrier(MPI_COMM_WORLD);  // in the loop
        beside();
    }
    beside();
    MPI_Finalize();
    return 0;
}
