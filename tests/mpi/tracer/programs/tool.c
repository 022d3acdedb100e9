// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// A tool that stands between a program and MPI, as the standard provides for (MPI-4.1, 15.2).
#include <mpi.h>
#include <stdio.h>

int MPI_Init(int* argc, char*** argv) {
    int result = PMPI_Init(argc, argv);
    printf("the tool was called\n");
    return result;
}
