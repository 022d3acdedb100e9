// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Prints the NIC of rank 0 (d0, d1, ...) that each of several consecutive messages to rank 1 takes: after the
// number of NICs and the number of messages, for each size lines "BYTES NIC NIC ..." of blocking sends, then
// of non-blocking ones. A message on several NICs gets -1.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sent_bytes.h"

static void give_it_time_to_leave(void) {
    const struct timespec while_sleeping = {0, 15 * 1000 * 1000};
    nanosleep(&while_sleeping, NULL);
}

static int nic_of(int nics, const long* before, int bytes) {
    int found = -1, used = 0;
    for (int nic = 0; nic < nics; ++nic) {
        // Acknowledgements of what came before are short.
        if (sent_bytes(nic) - before[nic] < bytes / 8) continue;
        found = nic;
        ++used;
    }
    return used == 1 ? found : -1;
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int nics = count > 2 ? atoi(arguments[1]) : 0, messages = count > 2 ? atoi(arguments[2]) : 0;
    if (nics < 1 || nics > most_nics || messages < 1) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int each = 3; each < count; ++each) {
        const int bytes = atoi(arguments[each]);
        char* data = calloc((size_t)bytes + 1, 1);
        if (data == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
        for (int blocking = 1; blocking >= 0; --blocking) {
            if (rank == 0) printf("%d", bytes);
            for (int message = 0; message < messages; ++message) {
                if (rank == 0) {
                    long before[most_nics];
                    for (int nic = 0; nic < nics; ++nic) before[nic] = sent_bytes(nic);
                    MPI_Request request = MPI_REQUEST_NULL;
                    if (blocking)
                        MPI_Send(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                    else
                        MPI_Isend(data, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                    give_it_time_to_leave();
                    printf(" %d", nic_of(nics, before, bytes));
                } else if (rank == 1) {
                    MPI_Recv(data, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                }
            }
            if (rank == 0) printf("\n");
        }
        free(data);
    }
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
