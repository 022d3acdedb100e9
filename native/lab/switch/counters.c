// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "counters.h"

#include <inttypes.h>
#include <stdio.h>

void counters_write(const struct network* network) {
    if (network->counters_path[0] == '\0') return;
    char path[PATH_SIZE + 8];
    snprintf(path, sizeof path, "%s.new", network->counters_path);
    FILE* file = fopen(path, "we");
    if (file == NULL) return;
    fputs(
        "port up_frames up_bytes down_frames down_bytes lost up_dropped down_dropped refused late_mean_ns "
        "late_most_ns\n",
        file);
    for (size_t i = 0; i < network->count; i++) {
        const struct port* port = &network->ports[i];
        const struct counters* counted = &port->counters;
        int64_t handed = (int64_t)counted->handed;
        fprintf(file,
                "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                " %" PRIu64 " %" PRId64 " %" PRId64 "\n",
                port->name, counted->up_frames, counted->up_bytes, counted->down_frames, counted->down_bytes,
                counted->lost, counted->up_dropped, counted->down_dropped, counted->refused,
                handed > 0 ? counted->late_sum / handed : 0, counted->late_most);
    }
    bool whole = ferror(file) == 0;
    whole = fclose(file) == 0 && whole;
    if (whole)
        rename(path, network->counters_path);
    else
        remove(path);
}
