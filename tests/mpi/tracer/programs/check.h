// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Checks of the test programs: a wrong result ends the run with a sentence.
#ifndef LINKWORTH_TEST_CHECK_H
#define LINKWORTH_TEST_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(3);                                                                \
        }                                                                           \
    } while (0)

// Calls a non-blocking one, given without its request, and waits for it.
#define FINISH(call, ...)                      \
    do {                                       \
        MPI_Request request;                   \
        call(__VA_ARGS__, &request);           \
        MPI_Wait(&request, MPI_STATUS_IGNORE); \
    } while (0)

// Makes an MPI-4 persistent one, and starts it so often.
#define REPEAT(times, call, ...)                    \
    do {                                            \
        MPI_Request request;                        \
        call(__VA_ARGS__, MPI_INFO_NULL, &request); \
        for (int i = 0; i < (times); i++) {         \
            MPI_Start(&request);                    \
            MPI_Wait(&request, MPI_STATUS_IGNORE);  \
        }                                           \
        MPI_Request_free(&request);                 \
    } while (0)

#endif
