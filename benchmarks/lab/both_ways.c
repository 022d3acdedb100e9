// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Windows of messages both ways, one after the other, between rank r of the first half and rank r of the
// second. Arguments: bytes of traffic in one direction, bytes of a message, seconds that the ranks sleep
// outside MPI in each window and between windows, then the messages of a window. Prints for each the seconds
// of a window.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { most_messages = 64, warm_up = 2, fewest = 4 };

static void sleep_for(double seconds) {
    const struct timespec pause = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    if (seconds > 0) nanosleep(&pause, NULL);
}

static void window(int partner, int messages, int bytes, double outside, char* out, char* in) {
    MPI_Request requests[2 * most_messages];
    for (int i = 0; i < messages; ++i)
        MPI_Irecv(in, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &requests[messages + i]);
    for (int i = 0; i < messages; ++i)
        MPI_Isend(out, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &requests[i]);
    sleep_for(outside);
    MPI_Waitall(2 * messages, requests, MPI_STATUSES_IGNORE);
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count < 6) MPI_Abort(MPI_COMM_WORLD, 2);
    const double sent = atof(arguments[1]);
    const int bytes = atoi(arguments[2]);
    const double outside = atof(arguments[3]), between = atof(arguments[4]);
    const int partner = (rank + ranks / 2) % ranks;
    char* const out = calloc((size_t)bytes + 1, 1);
    char* const in = calloc((size_t)bytes + 1, 1);
    if (out == NULL || in == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
    for (int each = 5; each < count; ++each) {
        const int messages = atoi(arguments[each]);
        if (messages < 1 || messages > most_messages) MPI_Abort(MPI_COMM_WORLD, 2);
        int repeats = (int)(sent / ((double)bytes * messages * ranks / 2));
        if (repeats < fewest) repeats = fewest;
        double before = 0;
        for (int i = -warm_up; i < repeats; ++i) {
            if (i == 0) {
                MPI_Barrier(MPI_COMM_WORLD);
                before = MPI_Wtime();
            }
            window(partner, messages, bytes, outside, out, in);
            sleep_for(between);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) printf("%.9f\n", (MPI_Wtime() - before) / repeats);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
