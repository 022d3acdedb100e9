// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Two ranks; partitioned messages, twice over the same requests.
#include "check.h"

enum { PARTITIONS = 6, PER_PARTITION = 3 };

int main(int argc, char** argv) {
    int rank, data[PARTITIONS * PER_PARTITION], list[2] = {5, 4};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, PARTITIONS, PER_PARTITION, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    else
        MPI_Precv_init(data, PARTITIONS / 2, 2 * PER_PARTITION, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < PARTITIONS * PER_PARTITION; i++) data[i] = rank == 0 ? i + round : -1;
        MPI_Start(&request);
        if (rank == 0) {
            MPI_Pready(0, request);
            MPI_Pready_range(1, 3, request);
            MPI_Pready_list(2, list, request);
        } else {
            int arrived = 0;
            while (!arrived) MPI_Parrived(request, 2, &arrived);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < PARTITIONS * PER_PARTITION; i++) CHECK(data[i] == i + round);
    }
    MPI_Request_free(&request);
    if (rank == 0) printf("all right\n");
    MPI_Finalize();
    return 0;
}
