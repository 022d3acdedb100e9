// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A profile in place of a trace: calls are added up by name in a mapped file, which a killed rank leaves
/// behind as well (docs/reference/trace-format.md, "A profile").
#ifndef LINKWORTH_PROFILE_H
#define LINKWORTH_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct lw_call;
struct lw_thread;

/// Of one procedure. Times in ticks.
struct lw_tally {
    uint64_t calls, inside, before, bytes;
};

/// Sizes of what calls send, by the bits of the size: 0, 1, 2 to 3, 4 to 7 ...
struct lw_size_tally {
    uint64_t calls, bytes;
};

enum { LW_SIZE_CLASSES = 65 };

/// One thread's part of the file.
struct lw_tallies {
    uint32_t magic, thread;
    uint64_t first, last;  ///< ticks: start of its first gap, end of its latest call
    uint8_t reserved[40];
    struct lw_size_tally sizes[LW_SIZE_CLASSES];
    struct lw_tally calls[];  ///< by number of the procedure
};

struct lw_part_header;

/// Makes the new file a profile's.
void lw_profile_begin(struct lw_part_header* header);
/// Makes the thread's part of the file; false where there is no space.
bool lw_profile_attach(struct lw_thread* self);
/// Adds the call whose payload ends at END; NULL: without one. Under the lock.
void lw_profile_write(struct lw_call* call, const uint8_t* end);

/// BYTES: 0 for a call that sends nothing.
static inline __attribute__((always_inline)) void lw_tally(struct lw_tallies* tallies, uint32_t name,
                                                           uint64_t bytes, uint64_t before, uint64_t inside) {
    struct lw_tally* tally = &tallies->calls[name];
    tally->calls++;
    tally->inside += inside;
    tally->before += before;
    if (bytes) {
        struct lw_size_tally* size = &tallies->sizes[64 - __builtin_clzll(bytes)];
        tally->bytes += bytes;
        size->calls++;
        size->bytes += bytes;
    }
}

#pragma GCC visibility pop
#endif
