// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "part.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

struct lw_part lw_part = {.file = -1};

// The first thread makes most calls, and mapping much at once is cheaper; the others may be many.
enum { WINDOW_BLOCKS = 16, WINDOW_BLOCKS_OF_OTHERS = 4, FIRST_BLOCK = LW_BLOCK_BYTES };
static const uint32_t block_magic = 0x4b42574c;  // "LWBK"

static bool write_zeros(uint64_t offset, uint64_t bytes) {
    static const char zeros[LW_BLOCK_BYTES];
    while (bytes) {
        ssize_t written =
            pwrite(lw_part.file, zeros, bytes < sizeof zeros ? bytes : sizeof zeros, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        offset += (uint64_t)written;
        bytes -= (uint64_t)written;
    }
    return true;
}

// Space is taken before the pages are touched: a full disk is then an error here and not a SIGBUS later.
static bool reserve(uint64_t offset, uint64_t bytes) {
    struct rlimit limit;
    // Growing past the limit would send SIGXFSZ, which ends the program.
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        offset + bytes > limit.rlim_cur) {
        errno = EFBIG;
        return false;
    }
    int result;
    do result = fallocate(lw_part.file, 0, (off_t)offset, (off_t)bytes);
    while (result != 0 && errno == EINTR);
    if (result == 0) return true;
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL) return write_zeros(offset, bytes);
    return false;
}

static void* map_file(uint64_t offset, uint64_t bytes) {
    void* mapping =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, lw_part.file, (off_t)offset);
    return mapping == MAP_FAILED ? NULL : mapping;
}

static int open_new_file(const char* folder, const char* host, const char* suffix) {
    char path[PATH_MAX];
    int file = -1;
    for (int attempt = 0; file < 0 && attempt < 100; attempt++) {
        // A process id can come twice: containers that share a host name and a folder.
        if (attempt)
            snprintf(path, sizeof path, "%s/%s.%d.%d.%s", folder, host, (int)getpid(), attempt, suffix);
        else
            snprintf(path, sizeof path, "%s/%s.%d.%s", folder, host, (int)getpid(), suffix);
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST) break;
    }
    return file;
}

int lw_usable_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

long lw_ranks_by_hydra(void) {
    const char* ranks = getenv("MPI_LOCALNRANKS");
    return ranks ? atol(ranks) : 0;
}

static int32_t first_core(const cpu_set_t* set) {
    for (int32_t core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, set)) return core;
    return -1;
}

void lw_part_note_cores(void) {
    struct lw_part_header* header = lw_part.header;
    cpu_set_t set;
    bool known = sched_getaffinity(0, sizeof set, &set) == 0;
    header->cores = lw_usable_cores();
    header->core_after_first = known ? first_core(&set) + 1 : 0;
}

// The kernel prints its processors one by one, so that a short reading costs little on a large node too.
static void note_processor(struct lw_part_header* header) {
    static const char field[] = "model name";
    char text[1024] = "";
    int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length < 0 ? 0 : length] = 0;
    const char* name = strstr(text, field);
    if (!name) return;
    name += sizeof field - 1;
    name += strspn(name, "\t :");
    snprintf(header->processor, sizeof header->processor, "%.*s", (int)strcspn(name, "\n"), name);
}

static void fill_header(const char* host, uint32_t names_bytes) {
    struct lw_part_header* header = lw_part.header;
    memcpy(header->magic, "LWPART1", 8);
    header->version = 3;
    header->flags = lw_clock.counter ? LW_PART_COUNTER_TICKS : 0;
    header->rank = -1;
    header->block_bytes = LW_BLOCK_BYTES;
    header->first_block = FIRST_BLOCK;
    header->names_offset = sizeof *header;
    header->names_bytes = names_bytes;
    header->start = header->latest = lw_clock_start();
    header->pid = (int32_t)getpid();
    lw_part_note_cores();
    header->ticks_per_second = lw_clock.known_rate;
    snprintf(header->host, sizeof header->host, "%s", host);
    note_processor(header);
    ssize_t length = readlink("/proc/self/exe", header->program, sizeof header->program - 1);
    header->program[length < 0 ? 0 : length] = 0;
}

bool lw_part_create(const char* folder, const char* suffix, const char* names, uint32_t names_bytes) {
    char host[128] = "unknown";
    gethostname(host, sizeof host - 1);
    for (char* letter = host; *letter; letter++)
        if (*letter == '/') *letter = '_';
    const char* step = "create";
    lw_part.file = open_new_file(folder, host, suffix);
    if (lw_part.file >= 0 && sizeof(struct lw_part_header) + names_bytes <= FIRST_BLOCK) {
        step = "reserve space for";
        if (reserve(0, FIRST_BLOCK)) {
            step = "map";
            lw_part.header = map_file(0, FIRST_BLOCK);
        }
    }
    if (!lw_part.header) {
        fprintf(stderr,
                "linkworth: rank on %s, process %d: cannot %s a file in %s: %s; this rank is not "
                "recorded\n",
                host, (int)getpid(), step, folder, strerror(errno));
        if (lw_part.file >= 0) close(lw_part.file);
        lw_part.file = -1;
        return false;
    }
    memcpy((char*)lw_part.header + sizeof(struct lw_part_header), names, names_bytes);
    fill_header(host, names_bytes);
    lw_part.file_end = FIRST_BLOCK;
    return true;
}

void* lw_part_extend(uint64_t bytes) {
    if (!reserve(lw_part.file_end, bytes)) return NULL;
    void* mapping = map_file(lw_part.file_end, bytes);
    if (mapping) lw_part.file_end += bytes;
    return mapping;
}

static bool map_window(struct lw_stream* stream, uint64_t bytes) {
    uint8_t* window = lw_part_extend(bytes);
    if (!window) return false;
    if (stream->window) munmap(stream->window, (size_t)(stream->window_end - stream->window));
    stream->window = window;
    stream->window_end = window + bytes;
    stream->window_file_end = lw_part.file_end;
    return true;
}

void lw_part_close_block(struct lw_stream* stream) {
    struct lw_block_header* block = stream->block;
    if (!block) return;
    block->events = stream->events;
    block->bytes = (uint32_t)(stream->position - (uint8_t*)(block + 1));
}

// Cuts off unused space at the file's end. Elsewhere it is zero, which readers skip.
static void keep_unused_space_out(struct lw_stream* stream) {
    if (!stream->window || stream->window_file_end != lw_part.file_end) return;
    uint64_t unused = (uint64_t)(stream->window_end - stream->end);
    if (unused && ftruncate(lw_part.file, (off_t)(lw_part.file_end - unused)) == 0)
        lw_part.file_end -= unused;
}

bool lw_part_next_block(struct lw_stream* stream, size_t bytes, uint64_t base, uint64_t next_request) {
    uint64_t needed = bytes + LW_BLOCK_HEADER_BYTES;
    uint64_t units = (needed + LW_BLOCK_BYTES - 1) / LW_BLOCK_BYTES;
    uint64_t space = units * LW_BLOCK_BYTES;
    lw_part_close_block(stream);
    uint8_t* start = stream->end;
    if (!stream->window || (uint64_t)(stream->window_end - start) < space) {
        keep_unused_space_out(stream);
        uint64_t blocks = stream->thread ? WINDOW_BLOCKS_OF_OTHERS : WINDOW_BLOCKS;
        uint64_t window = blocks * LW_BLOCK_BYTES;
        bool mapped = (space < window && map_window(stream, window)) || map_window(stream, space);
        if (!mapped) {
            stream->block = NULL;
            stream->position = stream->event_end = stream->end;
            lw_part.header->flags |= LW_PART_DISK_FULL;
            return false;
        }
        start = stream->window;
    }
    struct lw_block_header* block = (struct lw_block_header*)start;
    lw_part_synchronise();
    block->base = base;
    block->next_request = next_request;
    block->monotonic = lw_part.header->latest.monotonic;
    block->ticks = lw_part.header->latest.ticks;
    block->units = units > 1 ? (uint32_t)units : 0;
    block->thread = stream->thread;
    __atomic_store_n(&block->magic, block_magic, __ATOMIC_RELEASE);
    stream->block = block;
    stream->events = 0;
    stream->position = (uint8_t*)(block + 1);
    stream->end = start + space;
    stream->event_end = stream->end - LW_EVENT_MOST_BYTES + 1;
    return true;
}

void lw_part_synchronise(void) { lw_part.header->latest = lw_clock_now(); }

void lw_part_close_stream(struct lw_stream* stream) {
    lw_part_close_block(stream);
    keep_unused_space_out(stream);
    if (stream->window) munmap(stream->window, (size_t)(stream->window_end - stream->window));
    *stream = (struct lw_stream){.thread = stream->thread};
}

void lw_part_close(void) {
    if (lw_part.header) munmap(lw_part.header, FIRST_BLOCK);
    if (lw_part.file >= 0) close(lw_part.file);
    lw_part = (struct lw_part){.file = -1};
}
