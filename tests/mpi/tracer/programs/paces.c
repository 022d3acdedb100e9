// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Makes the calls of one pattern with given times, as a wrapper on the fast way does, and writes the profile
// that the tracer keeps of them: paces PATTERN CALLS FILE. Prints for each procedure its calls and the ticks
// inside them as they were. A tick is a nanosecond. No clock is read and no MPI is called.
#include "repeat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE, RECV, IRECV, ISEND, WAIT, PROCEDURES };
const char lw_names[] = "MPI_Iprobe\0MPI_Recv\0MPI_Irecv\0MPI_Isend\0MPI_Wait";
const uint32_t lw_procedures = PROCEDURES;

struct lw_part lw_part;
struct lw_clock lw_clock = {.rate = 1e9};
struct lw_recorder lw_recorder;
_Atomic uint32_t lw_meanings;

static struct lw_thread self;
static uint64_t now, calls[PROCEDURES], inside[PROCEDURES];
static uint64_t state = 88172645463325252u;

void* lw_part_extend(uint64_t bytes) { return calloc(1, bytes); }

// Xorshift (Marsaglia, 2003): another generator than the tracer's own.
static uint64_t between(uint64_t least, uint64_t most) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return least + state % (most - least + 1);
}

static void call(uint32_t name, uint64_t before, uint64_t duration) {
    struct lw_call made = {.name = name, .recording = true, .paced = true, .succeeded = true, .self = &self};
    made.half_timed = lw_pace_next(&self.paces, 0x400000 + 0x40 * name);
    now += before;
    if (!made.half_timed) made.start = now;
    now += duration;
    made.end = now;
    lw_add_up(&made, name == ISEND ? 8 : 0);
    calls[name]++;
    inside[name] += duration;
}

static uint64_t every(int i, int period, uint64_t then, uint64_t otherwise) {
    return i % period == period - 1 ? then : otherwise;
}

static void make(const char* pattern, int i, int count) {
    if (!strcmp(pattern, "short"))
        call(PROBE, between(5, 15), between(20, 60));
    else if (!strcmp(pattern, "rare-waits"))
        call(WAIT, between(5, 15), every(i, 1000, 100000, between(20, 60)));
    else if (!strcmp(pattern, "rare-computation"))
        call(PROBE, every(i, 1000, 100000, between(5, 15)), between(20, 60));
    else if (!strcmp(pattern, "one-wait"))
        call(WAIT, between(5, 15), i == count / 2 ? 1000000000 : between(20, 60));
    else if (!strcmp(pattern, "rhythm"))  // of 17, near the mean number of calls from one sample to the next
        call(PROBE, every(i, 17, 600, 5), every(i, 34, 300, 30));
    else if (!strcmp(pattern, "drift"))
        call(PROBE, 5 + 300 * (uint64_t)i / (uint64_t)count, between(20, 60));
    else if (!strcmp(pattern, "bursts")) {
        for (int peer = 0; peer < 4; peer++) call(IRECV, peer ? 10 : 200000, 50);
        for (int peer = 0; peer < 4; peer++) call(ISEND, 10, 80);
        for (int peer = 0; peer < 8; peer++) call(WAIT, 8, every(i, 3, 30000, 40));
    } else if (!strcmp(pattern, "polling")) {
        for (uint64_t polls = between(1, 200); polls--;) call(PROBE, between(5, 30), between(20, 60));
        call(RECV, 10, between(100, 2000));
    } else {
        abort();
    }
}

static void write_file(const char* path) {
    union {
        struct lw_part_header fields;
        char bytes[4096];
    } head = {.fields = *lw_part.header};
    head.fields.size = 1;
    head.fields.flags = LW_PART_INITIALISED | LW_PART_FINALISED;
    head.fields.names_offset = sizeof head.fields;
    head.fields.names_bytes = sizeof lw_names;
    head.fields.first_block = sizeof head;
    head.fields.latest.ticks = head.fields.latest.monotonic = now;
    head.fields.ticks_per_second = 1e9;
    memcpy(head.bytes + sizeof head.fields, lw_names, sizeof lw_names);
    FILE* file = fopen(path, "wb");
    if (!file) abort();
    fwrite(&head, 1, sizeof head, file);
    fwrite(self.tallies, 1, head.fields.block_bytes, file);
    fclose(file);
}

int main(int argc, char** argv) {
    static struct lw_part_header header;
    if (argc != 4) return 2;
    lw_part.header = &header;
    lw_profile_begin(&header);
    if (!lw_profile_attach(&self)) return 1;
    lw_recorder.profiling = true;
    lw_recorder.short_interval = lw_pace_short_interval();
    int count = atoi(argv[2]);
    for (int i = 0; i < count; i++) make(argv[1], i, count);
    write_file(argv[3]);
    const char* name = lw_names;
    for (int i = 0; i < PROCEDURES; i++, name += strlen(name) + 1)
        printf("%s %llu %llu\n", name, (unsigned long long)calls[i], (unsigned long long)inside[i]);
    return 0;
}
