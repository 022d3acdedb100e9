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

/// Sums of one procedure, times in ticks. Half-timed calls are those of which only the end was read (pace.h).
/// For these, only the time since the previous call is known.
struct __attribute__((aligned(64))) lw_tally {
    uint64_t calls, inside, before;  ///< of those that were timed at both ends
    uint64_t bytes;                  ///< of all
    uint64_t half_timed, since;
    uint64_t unclear, since_unclear;  ///< half timed as well, and not short
};

/// Samples of the procedure: short calls that were timed at both ends among half-timed ones. `before` is the
/// program's time since the previous call.
struct lw_samples {
    uint64_t calls, before, before_squared, reserved;
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
    struct lw_tally calls[];  ///< by number of the procedure; behind them as many lw_samples
};

struct lw_part_header;

/// Makes the new file a profile's.
void lw_profile_begin(struct lw_part_header* header);
/// Makes the thread's part of the file. Returns false if there is no space.
bool lw_profile_attach(struct lw_thread* self);
/// Adds the call whose payload ends at END, or a call without one (NULL). Under the lock.
void lw_profile_write(struct lw_call* call, const uint8_t* end);

/// Adds a call up that is not both half timed and short, but for its bytes.
void lw_add_up_any(const struct lw_call* call);

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
