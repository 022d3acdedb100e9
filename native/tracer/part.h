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
    LW_PART_RESTARTED = 32,
};

enum { LW_BLOCK_BYTES = 65536, LW_BLOCK_HEADER_BYTES = 64, LW_EVENT_MOST_BYTES = 4 * 10 };

struct lw_part_header {
    char magic[8];
    uint32_t version, flags;
    int32_t rank, size;
    uint32_t block_bytes, first_block, names_offset, names_bytes;
    struct lw_instant start, latest;
    uint64_t cpu, dropped;
    int32_t pid, cores;
    double ticks_per_second;
    int32_t core_after_first;  ///< number of the first core that the process may use, plus 1; 0: not known
    uint32_t helpers_ms;       ///< see lw_processor_time_of_helpers
    char host[128], program[512], library[192];
    char processor[64];  ///< empty if the kernel does not report it
};
_Static_assert(sizeof(struct lw_part_header) == 1024, "the format fixes the header's size");

struct lw_block_header {
    uint32_t magic, bytes;
    uint64_t base, next_request, monotonic, ticks;
    uint32_t events, units, thread;
    uint8_t reserved[12];
};
_Static_assert(sizeof(struct lw_block_header) == LW_BLOCK_HEADER_BYTES, "the format fixes the header's size");

/// Destination of one thread's events: its open block, in a window of the file that is its own.
struct lw_stream {
    uint8_t *position, *end;        ///< where the next record goes, and where the block's space ends
    uint8_t* event_end;             ///< an event fits ahead of it
    uint32_t events;                ///< in the open block
    uint32_t thread;                ///< number in the process, 0 for the one that called MPI_Init
    struct lw_block_header* block;  ///< the open block, or NULL
    uint8_t *window, *window_end;
    uint64_t window_file_end;  ///< offset in the file of window_end
};

struct lw_part {
    int file;
    struct lw_part_header* header;
    uint64_t file_end;
};
extern struct lw_part lw_part;

/// Makes the part, named HOST.PID.SUFFIX, in FOLDER. If that fails, prints one sentence to standard error and
/// returns false.
bool lw_part_create(const char* folder, const char* suffix, const char* names, uint32_t names_bytes);
/// Returns BYTES at the file's end, a multiple of a page, zero and mapped. NULL if there is no space.
void* lw_part_extend(uint64_t bytes);
/// Closes the stream's open block and opens one with room for at least BYTES of records. False: no more
/// space. Under the lock.
bool lw_part_next_block(struct lw_stream* stream, size_t bytes, uint64_t base, uint64_t next_request);
/// Notes how much of the stream's open block is used: nothing follows in it.
void lw_part_close_block(struct lw_stream* stream);
/// Notes the clocks in the header.
void lw_part_synchronise(void);
/// Cuts off the unused space of the stream whose window is the file's last, and releases the window.
void lw_part_close_stream(struct lw_stream* stream);
/// Lets go of the file and its header.
void lw_part_close(void);
/// Notes in the header which cores the calling thread may use.
void lw_part_note_cores(void);
/// Cores that the process may run on.
int lw_usable_cores(void);
/// Number of ranks on this node if Hydra started them, as it does those of MPICH and Intel MPI; else 0.
long lw_ranks_by_hydra(void);

#pragma GCC visibility pop
#endif
