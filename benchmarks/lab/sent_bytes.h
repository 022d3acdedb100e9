// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Bytes that a NIC of a lab's node has sent, by its own counter.
#ifndef LINKWORTH_SENT_BYTES_H
#define LINKWORTH_SENT_BYTES_H

#include <mpi.h>
#include <stdio.h>

enum { most_nics = 64 };

static long sent_bytes(int nic) {
    char name[64];
    snprintf(name, sizeof name, "/sys/class/net/d%d/statistics/tx_bytes", nic);
    FILE* file = fopen(name, "r");
    long bytes = -1;
    if (file == NULL || fscanf(file, "%ld", &bytes) != 1) {
        fprintf(stderr, "%s: cannot be read\n", name);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    fclose(file);
    return bytes;
}

#endif
