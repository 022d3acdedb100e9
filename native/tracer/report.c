// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "report.h"

#include "library_symbol.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Longer than MPI_MAX_LIBRARY_VERSION_STRING of every library: Open MPI 256, MPICH 8192.
enum { MOST_VERSION_BYTES = 65536, MOST_LINE_BYTES = 512 };

void lw_report_ranks(int ranks) {
    const char* path = getenv("LINKWORTH_RANKS");
    int (*get_version)(char*, int*) = (int (*)(char*, int*))lw_library_symbol("PMPI_Get_library_version");
    if (!path || !*path || !get_version) return;
    static char version[MOST_VERSION_BYTES];
    int length = 0;
    get_version(version, &length);
    version[strcspn(version, "\r\n")] = 0;
    char line[MOST_LINE_BYTES];
    int bytes = snprintf(line, sizeof line, "%d %.400s\n", ranks, version);
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0) return;
    // One write per line, so that lines of several processes do not mix.
    ssize_t written = write(file, line, (size_t)bytes);
    (void)written;
    close(file);
}
