// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_QUEUE = 256 * 1024 };

static bool complain(const char* format, ...) __attribute__((format(printf, 1, 2)));

static bool complain(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("lw-switch: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return false;
}

static bool whole(const char* text, uint64_t most, uint64_t* result) {
    char* end = NULL;
    errno = 0;
    if (text[0] < '0' || text[0] > '9') return false;
    *result = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *result <= most;
}

static bool copy(const char* text, char* target, size_t size) {
    size_t length = strlen(text);
    if (length == 0 || length >= size) return false;
    memcpy(target, text, length + 1);
    return true;
}

static bool set(struct port* port, const char* key, const char* value) {
    const uint64_t longest = 1000ULL * 1000 * 1000 * 1000;
    uint64_t number = 0;
    if (strcmp(key, "netns") == 0) return copy(value, port->namespace_path, sizeof port->namespace_path);
    if (strcmp(key, "tap") == 0) return copy(value, port->device, sizeof port->device);
    if (strcmp(key, "loss") == 0) {
        char* end = NULL;
        port->loss = strtod(value, &end);
        return end != value && *end == '\0' && port->loss >= 0 && port->loss <= 1;
    }
    if (!whole(value, 1ULL << 60, &number)) return false;
    if (strcmp(key, "fd") == 0 && number <= INT32_MAX)
        port->given_fd = (int)number;
    else if (strcmp(key, "segment") == 0 && number <= UINT16_MAX)
        port->segment = (uint16_t)number;
    else if (strcmp(key, "down") == 0)
        port->down_rate = number;
    else if (strcmp(key, "delay") == 0 && number <= longest)
        port->delay = (int64_t)number;
    else if (strcmp(key, "jitter") == 0 && number <= longest)
        port->jitter = (int64_t)number;
    else if (strcmp(key, "moderation") == 0 && number <= longest)
        port->moderation = (int64_t)number;
    else if (strcmp(key, "queue") == 0 && number > 0 && number <= (1ULL << 40))
        port->queue_bytes = number;
    else if (strcmp(key, "offload") == 0 && number <= 1)
        port->offload = number == 1;
    else
        return false;
    return true;
}

static bool read_port(struct network* network, char** place) {
    if (network->count == MOST_PORTS) return complain("more than %d ports", MOST_PORTS);
    struct port* port = &network->ports[network->count];
    memset(port, 0, sizeof *port);
    port->given_fd = port->fd = -1;
    port->queue_bytes = DEFAULT_QUEUE;
    const char* name = strtok_r(NULL, " ", place);
    if (name == NULL || !copy(name, port->name, sizeof port->name)) return complain("a port needs a name");
    for (const char* key; (key = strtok_r(NULL, " ", place)) != NULL;) {
        const char* value = strtok_r(NULL, " ", place);
        if (value == NULL || !set(port, key, value))
            return complain("port %s: %s cannot be %s", name, key, value ? value : "left empty");
    }
    if (port->given_fd < 0 && (port->namespace_path[0] == '\0' || port->device[0] == '\0'))
        return complain("port %s needs netns and tap, or fd", port->name);
    if (port->given_fd < 0 && strlen(port->device) > 15)
        return complain("port %s: a device's name has at most 15 characters", port->name);
    port->random = network->seed + 0x9e3779b97f4a7c15ULL * (network->count + 1);
    // Interrupts of different NICs come at different times.
    if (port->moderation > 0)
        port->moderation_phase = (int64_t)((port->random >> 1) % (uint64_t)port->moderation);
    network->count++;
    return true;
}

static bool read_line(struct network* network, char* line) {
    char* place = NULL;
    const char* word = strtok_r(line, " ", &place);
    if (word == NULL) return true;
    if (strcmp(word, "port") == 0) return read_port(network, &place);
    // Use the rest of the line: a path may contain spaces.
    const char* value = place != NULL && *place != '\0' ? place : NULL;
    if (strcmp(word, "seed") == 0 && value != NULL && network->count == 0)
        return whole(value, UINT64_MAX, &network->seed) || complain("seed cannot be %s", value);
    // Leave room for the name of the file that is written first and renamed.
    if (strcmp(word, "counters") == 0 && value != NULL)
        return copy(value, network->counters_path, sizeof network->counters_path - 8) ||
               complain("the path of the counters is too long");
    return complain("cannot understand %s", word);
}

bool config_read(char* const* lines, size_t count, struct network* network) {
    for (size_t i = 0; i < count; i++)
        if (!read_line(network, lines[i])) return false;
    return network->count > 0 || complain("there are no ports");
}
