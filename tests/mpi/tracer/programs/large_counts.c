// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// MPI-4's procedures with MPI_Count.
#include "check.h"

int main(int argc, char** argv) {
    int rank, value, sum = 0;
    MPI_Count counts[2] = {1, 1};
    MPI_Aint places[2] = {0, 1};
    int send[2] = {1, 2}, receive[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank;
    if (rank == 0)
        MPI_Send_c(&value, (MPI_Count)1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    else
        MPI_Recv_c(&value, (MPI_Count)2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == 0);
    MPI_Sendrecv_replace_c(&rank, (MPI_Count)1, MPI_INT, 1 - rank, 2, 1 - rank, 2, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE);
    MPI_Allreduce_c(&rank, &sum, (MPI_Count)1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == 1);
    MPI_Alltoallv_c(send, counts, places, MPI_INT, receive, counts, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
