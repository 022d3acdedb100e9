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

#endif
