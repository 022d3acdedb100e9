// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The file that one rank writes (docs/reference/trace-format.md, "A part"), mapped window by window.
#ifndef LINKWORTH_PART_H
#define LINKWORTH_PART_H

#include "clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum lw_part_flag {
    LW_PART_INITIALISED = 1,
    LW_PART_FINALISED = 2,
    LW_PART_DISK_FULL = 4,
    LW_PART_ABORTED = 8,
    LW_PART_COUNTER_TICKS = 16,
};

enum { LW_BLOCK_BYTES = 65536, LW_BLOCK_HEADER_BYTES = 64 };

struct lw_part_header {
    char magic[8];
    uint32_t version, flags;
    int32_t rank, size;
    uint32_t block_bytes, first_block, names_offset, names_bytes;
    struct lw_instant start, latest;
    uint64_t cpu, dropped;
    int32_t pid, cores;
    double ticks_per_second;
    uint8_t reserved[8];
    char host[128], program[512], library[256];
};
_Static_assert(sizeof(struct lw_part_header) == 1024, "the format fixes the header's size");

struct lw_block_header {
    uint32_t magic, bytes;
    uint64_t base, next_request, monotonic, ticks;
    uint32_t events, units;
    uint8_t reserved[16];
};
_Static_assert(sizeof(struct lw_block_header) == LW_BLOCK_HEADER_BYTES, "the format fixes the header's size");

struct lw_part {
    int file;
    struct lw_part_header* header;
    uint8_t *window, *window_end;
    uint64_t file_end;              ///< offset in the file of window_end
    struct lw_block_header* block;  ///< the open block
    uint8_t *position, *end;        ///< where its next record goes, and where its space ends
    uint32_t events;                ///< in the open block
};
extern struct lw_part lw_part;

/// Makes the part in FOLDER; where that fails, one sentence goes to standard error and the answer is false.
bool lw_part_create(const char* folder, const char* names, uint32_t names_bytes);
/// Closes the open block and opens one with room for at least BYTES of records. False: no more space.
bool lw_part_next_block(size_t bytes, uint64_t base, uint64_t next_request);
/// Notes the clocks in the header.
void lw_part_synchronise(void);
/// Closes the open block, cuts off unused space and lets go of the file.
void lw_part_close(void);
/// Lets go of the mapping without writing: for the child of a fork.
void lw_part_forget(void);

#pragma GCC visibility pop
#endif
