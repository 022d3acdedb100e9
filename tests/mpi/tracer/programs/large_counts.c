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

    int window_memory[4] = {0}, other;
    MPI_Comm_rank(MPI_COMM_WORLD, &value);
    other = 1 - value;
    MPI_Win window;
    MPI_Request requests[2];
    MPI_Win_create_c(window_memory, (MPI_Aint)sizeof window_memory, (MPI_Aint)sizeof(int), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
    MPI_Put_c(send, (MPI_Count)2, MPI_INT, other, 0, (MPI_Count)2, MPI_INT, window);
    MPI_Win_flush(other, window);
    MPI_Rget_c(receive, (MPI_Count)2, MPI_INT, other, 0, (MPI_Count)2, MPI_INT, window, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Win_unlock(other, window);
    CHECK(receive[1] == 2);
    MPI_Win_free(&window);
    MPI_Isendrecv(&value, 1, MPI_INT, other, 3, receive, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK(receive[0] == other);
    MPI_Isendrecv_replace_c(receive, (MPI_Count)1, MPI_INT, other, 4, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD,
                            &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    CHECK(receive[0] == value);
    MPI_Finalize();
    return 0;
}
