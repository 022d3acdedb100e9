// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// A part of a program that alone is linked with MPI, as Python's extension modules are.
#include "check.h"

int run_plugin(void) {
    int one = 1, sum = 0, size;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size);
    MPI_Finalize();
    return 0;
}
