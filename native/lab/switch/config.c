// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool read_port(const char* words, struct network* network) {
    if (network->count == MOST_PORTS) {
        fprintf(stderr, "lw-switch: more than %d ports\n", MOST_PORTS);
        return false;
    }
    struct port* port = &network->ports[network->count];
    int offload = 0;
    // Widths of texts are one less than NAME_SIZE, PATH_SIZE and the size of a device's name.
    int read = sscanf(
        words,
        "%63s %255s %15s %d %" SCNu16 " %lf %d %" SCNu64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNu64,
        port->name, port->namespace_path, port->device, &port->given_fd, &port->segment, &port->loss,
        &offload, &port->down_rate, &port->delay, &port->jitter, &port->moderation, &port->queue_bytes);
    if (read != 12) {
        fprintf(stderr, "lw-switch: this is no port: %s\n", words);
        return false;
    }
    port->fd = -1;
    port->offload = offload != 0;
    port->random = network->seed + 0x9e3779b97f4a7c15ULL * (network->count + 1);
    // Interrupts of different NICs come at different times.
    if (port->moderation > 0)
        port->moderation_phase = (int64_t)((port->random >> 1) % (uint64_t)port->moderation);
    network->count++;
    return true;
}

bool config_read(char* const* words, size_t count, struct network* network) {
    if (count < 3) {
        fputs("lw-switch: give a seed, a file of counters and the ports\n", stderr);
        return false;
    }
    network->seed = strtoull(words[0], NULL, 10);
    // Leave room for the name of the file that is written first and renamed.
    snprintf(network->counters_path, sizeof network->counters_path - 8, "%s", words[1]);
    for (size_t i = 2; i < count; i++)
        if (!read_port(words[i], network)) return false;
    return true;
}
