// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Sends the messages of a time-independent trace by MPI. Argument: the folder with a file rank-<N>.txt for
// each rank, as `linkworth convert --to ti` writes it. A second of computation is 1e9 flops. It is slept, so
// that ranks compute at once on any number of cores. Performs the actions of bench_played.py's programs.
// Prints the milliseconds that they take.
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { max_words = 512, max_open = 4096, tag_mask = 0x3fff };
static const double shortest_sleep = 30e-6, wake_up = 5e-6;

typedef struct {
    MPI_Request request;
    int source, destination, tag;
    char* buffer;
} Open;

static int rank, ranks, open_count;
static Open open_requests[max_open];
static char *sent, *received;
static size_t sent_size, received_size;
static double owed;  // seconds of computation that were too short to sleep, or were slept too long

static void fail(const char* what) {
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void compute(double seconds) {
    owed += seconds;
    if (owed < shortest_sleep) return;
    const double start = now(), aim = owed - wake_up;
    const struct timespec length = {(time_t)aim, (long)(1e9 * (aim - (double)(time_t)aim))};
    nanosleep(&length, NULL);
    owed -= now() - start;
}

static char* room(char** buffer, size_t* size, size_t bytes) {
    if (bytes > *size) {
        free(*buffer);
        *buffer = calloc(bytes, 1);
        *size = bytes;
        if (*buffer == NULL) fail("no memory");
    }
    return *buffer;
}

static Open* opened(int source, int destination, int tag, char* buffer) {
    if (open_count == max_open) fail("too many requests");
    Open* const added = &open_requests[open_count++];
    *added = (Open){MPI_REQUEST_NULL, source, destination, tag, buffer};
    return added;
}

static void close_request(int index) {
    MPI_Wait(&open_requests[index].request, MPI_STATUS_IGNORE);
    free(open_requests[index].buffer);
    memmove(&open_requests[index], &open_requests[index + 1], sizeof(Open) * (size_t)(--open_count - index));
}

static void wait_for(int source, int destination, int tag) {
    for (int i = 0; i < open_count; ++i) {
        const Open* const each = &open_requests[i];
        if (each->source == source && each->destination == destination && each->tag == tag)
            return close_request(i);
    }
    fail("no such request");
}

static void wait_for_all(void) {
    MPI_Request all[max_open];
    for (int i = 0; i < open_count; ++i) all[i] = open_requests[i].request;
    MPI_Waitall(open_count, all, MPI_STATUSES_IGNORE);
    for (int i = 0; i < open_count; ++i) free(open_requests[i].buffer);
    open_count = 0;
}

static MPI_Datatype type_of(int words, char** word, int index) {
    const int number = index < words ? atoi(word[index]) : 6;
    switch (number) {
        case 0: return MPI_DOUBLE;
        case 1: return MPI_INT;
        case 14: return MPI_DOUBLE_COMPLEX;
        case 6: return MPI_BYTE;
        default: fail("unknown datatype");
    }
    return MPI_BYTE;
}

static void vector_exchange(char** word) {
    static int counts[4][4096];
    for (int i = 0; i < ranks; ++i) {
        counts[0][i] = atoi(word[3 + i]);
        counts[2][i] = atoi(word[4 + ranks + i]);
        counts[1][i] = i ? counts[1][i - 1] + counts[0][i - 1] : 0;
        counts[3][i] = i ? counts[3][i - 1] + counts[2][i - 1] : 0;
    }
    const size_t out = (size_t)counts[1][ranks - 1] + (size_t)counts[0][ranks - 1];
    const size_t in = (size_t)counts[3][ranks - 1] + (size_t)counts[2][ranks - 1];
    MPI_Alltoallv(room(&sent, &sent_size, out), counts[0], counts[1], MPI_BYTE,
                  room(&received, &received_size, in), counts[2], counts[3], MPI_BYTE, MPI_COMM_WORLD);
}

static void perform(int words, char** word) {
    const char* const action = word[1];
    const int first = words > 2 ? atoi(word[2]) : 0;
    if (strcmp(action, "compute") == 0) {
        compute(1e-9 * atof(word[2]));
    } else if (strcmp(action, "wait") == 0) {
        wait_for(first, atoi(word[3]), atoi(word[4]) & tag_mask);
    } else if (strcmp(action, "waitall") == 0) {
        wait_for_all();
    } else if (strcmp(action, "send") == 0 || strcmp(action, "isend") == 0) {
        const int tag = atoi(word[3]) & tag_mask, bytes = atoi(word[4]);
        char* const out = room(&sent, &sent_size, (size_t)bytes);
        if (action[0] == 's') {
            MPI_Send(out, bytes, MPI_BYTE, first, tag, MPI_COMM_WORLD);
        } else {
            MPI_Isend(out, bytes, MPI_BYTE, first, tag, MPI_COMM_WORLD,
                      &opened(rank, first, tag, NULL)->request);
        }
    } else if (strcmp(action, "irecv") == 0) {
        const int tag = atoi(word[3]) & tag_mask, bytes = atoi(word[4]);
        char* const in = malloc((size_t)bytes + 1);
        MPI_Irecv(in, bytes, MPI_BYTE, first, tag, MPI_COMM_WORLD, &opened(first, rank, tag, in)->request);
    } else if (strcmp(action, "allreduce") == 0) {
        const size_t most = 16 * (size_t)first;
        MPI_Allreduce(room(&sent, &sent_size, most), room(&received, &received_size, most), first,
                      type_of(words, word, 4), MPI_SUM, MPI_COMM_WORLD);
    } else if (strcmp(action, "reduce") == 0) {
        const size_t most = 16 * (size_t)first;
        MPI_Reduce(room(&sent, &sent_size, most), room(&received, &received_size, most), first,
                   type_of(words, word, 5), MPI_SUM, atoi(word[4]), MPI_COMM_WORLD);
    } else if (strcmp(action, "alltoall") == 0) {
        const size_t most = (size_t)ranks * (size_t)first;
        MPI_Alltoall(room(&sent, &sent_size, most), first, MPI_BYTE, room(&received, &received_size, most),
                     first, MPI_BYTE, MPI_COMM_WORLD);
    } else if (strcmp(action, "alltoallv") == 0) {
        vector_exchange(word);
    } else if (strcmp(action, "init") != 0 && strcmp(action, "finalize") != 0) {
        fail(action);
    }
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (count != 2) fail("give the folder");
    prctl(PR_SET_TIMERSLACK, 1UL);
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    char path[4096];
    snprintf(path, sizeof path, "%s/rank-%d.txt", arguments[1], rank);
    FILE* const file = fopen(path, "r");
    if (file == NULL) fail(path);
    char* line = NULL;
    size_t size = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = now();
    while (getline(&line, &size, file) > 0) {
        char* word[max_words];
        int words = 0;
        char* rest = NULL;
        for (char* at = strtok_r(line, " \n", &rest); at && words < max_words;
             at = strtok_r(NULL, " \n", &rest))
            word[words++] = at;
        if (words > 1) perform(words, word);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%.6f\n", 1e3 * (now() - start));
    return MPI_Finalize();
}
