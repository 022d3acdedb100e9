// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A profile instead of a trace: calls are added up by name in a mapped file, which a killed rank leaves
/// behind as well (docs/reference/trace-format.md, "A profile").
#ifndef LINKWORTH_PROFILE_H
#define LINKWORTH_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct lw_call;
struct lw_thread;

/// Sums of one procedure, times in ticks. `before` is the program's time since the previous call.
struct __attribute__((aligned(32))) lw_tally {
    uint64_t calls, inside, before, bytes;
};

/// Bytes sent by calls, by the bits of the size: 0, 1, 2 to 3, 4 to 7 ...
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
    uint8_t padding[48];
    struct lw_tally calls[];  ///< by number of the procedure
};

struct lw_part_header;

/// Makes the new file a profile's.
void lw_profile_begin(struct lw_part_header* header);
/// Makes the thread's part of the file. Returns false if there is no space.
bool lw_profile_attach(struct lw_thread* self);
/// Returns the bytes that the call with the payload sends, or each start of the request that it makes.
uint64_t lw_profile_bytes(const uint8_t* payload);
/// Adds the call whose payload ends at END, or a call without one (NULL). Under the lock.
void lw_profile_write(struct lw_call* call, const uint8_t* end);

/// Adds the bytes that a call sends.
static inline __attribute__((always_inline)) void lw_tally_bytes(struct lw_tallies* tallies, uint32_t name,
                                                                 uint64_t bytes) {
    if (!bytes) return;
    struct lw_size_tally* size = &tallies->sizes[64 - __builtin_clzll(bytes)];
    tallies->calls[name].bytes += bytes;
    size->calls++;
    size->bytes += bytes;
}

#pragma GCC visibility pop
#endif
