// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// State of each thread that calls MPI, so that threads do not wait for each other to record.
#ifndef LINKWORTH_THREAD_H
#define LINKWORTH_THREAD_H

#include "part.h"
#include "processor_time.h"
#include "record.h"

#include <pthread.h>

#pragma GCC visibility push(hidden)

enum { LW_REPEAT_WORDS = 5, LW_REPEATS = 512, LW_SHAPE_SETS = 512, LW_SHAPE_WAYS = 2, LW_SHAPE_WORDS = 4 };

/// An earlier call with the same arguments, and the form of its event. One cache line.
struct __attribute__((aligned(64))) lw_repeat {
    uint64_t words[LW_REPEAT_WORDS];  ///< the arguments, the procedure and the call site
    uint64_t stamp;                   ///< that of the thread when it was kept: another one makes it void
    union {
        uint64_t record;  ///< the event's bytes, if its times are short: the head and times of 0
        uint64_t bytes;   ///< profile: bytes that the call sends
    };
    uint8_t head_bits;      ///< of the event: 8 or 16
    uint8_t short_bytes;    ///< of the event, if its times are short
    bool long_gap_follows;  ///< so it was the last time; also of a void one
};
_Static_assert(sizeof(struct lw_repeat) <= 64, "one cache line");

/// A shape in the open block, by its payload. The prediction of its gap outlives the block.
struct lw_shape {
    uint64_t words[LW_SHAPE_WORDS];  ///< a short payload, padded with zeros
    const uint8_t* record;           ///< a long one, in the block
    uint32_t block;                  ///< of which block: an older one means an empty slot
    uint32_t number, length;
    bool long_gap_follows;
};

struct lw_thread {
    uint64_t last_exit;          ///< ticks at the end of the previous call
    uint64_t stamp;              ///< number of the open block, in the upper half; below it lw_meanings if
                                 ///< threads do not call MPI at once (lw_repeat_stamp)
    struct lw_stream stream;     ///< where its events go
    bool* long_gap_follows;      ///< prediction for calls like the latest one
    struct lw_tallies* tallies;  ///< if only a profile is kept, else NULL
    struct lw_processor_time cpu;
    uint32_t shapes_in_block;
    pthread_t owner;  ///< the thread, unless it has ended
    bool ended;
    struct lw_thread* next_free;  ///< of a thread that ended: its state serves the next one that begins
    struct lw_repeat repeats[LW_REPEATS];
    struct lw_shape shapes[LW_SHAPE_SETS * LW_SHAPE_WAYS];
};

/// Ticks from the start of a thread's gap to the end of the reading there, or 0 without one.
static inline uint64_t lw_reading_of_gap(const struct lw_thread* self) {
    return self->cpu.read_at == self->last_exit ? self->cpu.reading : 0;
}

/// Opens a block of the thread with room for BYTES of records. Returns false if there is no space. Under the
/// lock.
bool lw_open_block(struct lw_thread* self, size_t bytes);

/// Creates the calling thread's state; its first gap starts at ORIGIN ticks. Returns NULL if memory or space
/// runs out, or the recording has ended.
struct lw_thread* lw_thread_attach(uint64_t origin);
/// Lets no further thread begin, as the recording ends. Not under the lock, which a thread that begins takes.
void lw_threads_close(void);
/// Calls FUNCTION for the state of every thread that ever was.
void lw_threads_each(void (*function)(struct lw_thread*));
/// Returns the number of threads that have a state at the moment.
uint32_t lw_threads_attached(void);
/// Returns the CPU time of all threads that ever had one, in nanoseconds.
uint64_t lw_threads_cpu(void);
/// Returns the number of threads that ever had one.
uint32_t lw_threads_begun(void);

#pragma GCC visibility pop
#endif
