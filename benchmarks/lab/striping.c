// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Bytes that one message from rank 0 to rank 1 puts on each of rank 0's NICs d0, d1, ...: for the sizes given
// after the number of NICs, lines "BYTES ON_D0 ON_D1 ...".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sent_bytes.h"

enum { repeats = 3 };

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int nics = count > 1 ? atoi(arguments[1]) : 1;
    if (nics < 1 || nics > most_nics) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int each = 2; each < count; ++each) {
        const int bytes = atoi(arguments[each]);
        char* data = calloc((size_t)bytes + 1, 1);
        if (data == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
        for (int repeat = 0; repeat < repeats; ++repeat) {
            long before[most_nics];
            char answer = 0;
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0) {
                for (int nic = 0; nic < nics; ++nic) before[nic] = sent_bytes(nic);
                MPI_Send(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                MPI_Recv(&answer, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                printf("%d", bytes);
                for (int nic = 0; nic < nics; ++nic) printf(" %ld", sent_bytes(nic) - before[nic]);
                printf("\n");
                fflush(stdout);
            } else if (rank == 1) {
                MPI_Recv(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(&answer, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
            }
        }
        free(data);
    }
    MPI_Finalize();
    return 0;
}
