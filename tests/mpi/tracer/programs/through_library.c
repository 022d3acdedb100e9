// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// A program that calls MPI through sending_library.c.
#include "check.h"

void agree_on_nothing(MPI_Comm comm);
int sum_over_all(int own, MPI_Comm comm);

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) agree_on_nothing(MPI_COMM_WORLD);
    CHECK(sum_over_all(1, MPI_COMM_WORLD) == 2);
    MPI_Finalize();
    return 0;
}
