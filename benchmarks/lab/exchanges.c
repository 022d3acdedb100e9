// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Exchanges of two ranks as a halo has them, with receives posted before: after the number of repetitions,
// for each size lines "BYTES MESSAGES BLOCKING SECONDS SECONDS ...", of one and of two messages each way, by
// MPI_Isend (0) and by MPI_Send (1).
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_messages = 2, warm_up = 3 };

static double exchange(int partner, int bytes, int messages, int blocking, char* const* out,
                       char* const* in) {
    MPI_Request requests[2 * most_messages];
    int count = 0;
    // Ranks of a program do not begin together either, but neither is long asleep.
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = MPI_Wtime();
    for (int i = 0; i < messages; ++i)
        MPI_Irecv(in[i], bytes, MPI_BYTE, partner, i, MPI_COMM_WORLD, &requests[count++]);
    for (int i = 0; i < messages; ++i)
        if (blocking)
            MPI_Send(out[i], bytes, MPI_BYTE, partner, i, MPI_COMM_WORLD);
        else
            MPI_Isend(out[i], bytes, MPI_BYTE, partner, i, MPI_COMM_WORLD, &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    return MPI_Wtime() - before;
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int repetitions = count > 1 ? atoi(arguments[1]) : 0;
    if (repetitions < 1) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int each = 2; each < count; ++each) {
        const int bytes = atoi(arguments[each]);
        char *out[most_messages], *in[most_messages];
        for (int i = 0; i < most_messages; ++i) {
            out[i] = calloc((size_t)bytes + 1, 1);
            in[i] = calloc((size_t)bytes + 1, 1);
            if (out[i] == NULL || in[i] == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
        }
        for (int messages = 1; messages <= most_messages; ++messages)
            for (int blocking = 0; blocking <= 1; ++blocking) {
                if (rank == 0) printf("%d %d %d", bytes, messages, blocking);
                for (int i = -warm_up; i < repetitions; ++i) {
                    const double seconds = exchange(1 - rank, bytes, messages, blocking, out, in);
                    if (rank == 0 && i >= 0) printf(" %.9f", seconds);
                }
                if (rank == 0) printf("\n");
            }
        for (int i = 0; i < most_messages; ++i) {
            free(out[i]);
            free(in[i]);
        }
    }
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
