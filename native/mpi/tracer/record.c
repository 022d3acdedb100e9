// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "record.h"

#include "part.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

struct lw_recorder lw_recorder;
bool lw_active, lw_tracing, lw_yielding;
__thread int lw_depth __attribute__((tls_model("initial-exec")));
atomic_flag lw_busy = ATOMIC_FLAG_INIT;

enum { SETS = 512, WAYS = 2, INLINE_WORDS = 4, INLINE_BYTES = 8 * INLINE_WORDS, EVENT_MOST_BYTES = 4 * 10 };

// A shape that the open block holds. The prediction of its gap outlives the block.
struct slot {
    uint64_t words[INLINE_WORDS];  // a short payload, padded with zeros
    const uint8_t* record;         // a long one, in the block
    uint32_t block;                // of which block: an older one means an empty slot
    uint32_t shape, length;
    bool long_gap_follows;
};

static struct slot table[SETS * WAYS];
static uint32_t block_number, shapes_in_block;
static struct slot* last_slot;

// The thread's CPU clock costs some 400 ns: it is read where a long gap is likely, and otherwise within a
// budget of 0.2 % of the elapsed time, saved up for at most 16 readings so that they do not come in a burst.
// Where ranks share cores the wall time says little of any gap, and the run is slow anyway: then it is read
// at every gap.
static const double long_gap_seconds = 50e-6;
static const double long_gap_seconds_crowded = 5e-6;
static const double budget_interval_seconds = 400e-9 / 0.002;
enum { SAVED_READINGS = 16, TRIAL_READINGS = 32 };
static uint64_t budget_interval, next_budget_reading;
static uint64_t last_cpu;            // CPU time at the latest reading, ns
static const void* last_cpu_thread;  // of which thread
static double nanoseconds_per_tick;
static bool every_gap;        // crowded: the CPU clock is read at the start of every gap
static uint64_t reading_cpu;  // CPU time that lies between two readings in a row, ns

// The least of some trials: what the clock itself costs, without interruptions.
static void weigh_reading(void) {
    uint64_t least_ticks = UINT64_MAX, least_cpu = UINT64_MAX;
    for (int trial = 0; trial < TRIAL_READINGS; trial++) {
        uint64_t ticks = lw_ticks();
        uint64_t cpu = lw_clock_read(CLOCK_THREAD_CPUTIME_ID);
        ticks = lw_ticks() - ticks;
        cpu = lw_clock_read(CLOCK_THREAD_CPUTIME_ID) - cpu;
        if (ticks < least_ticks) least_ticks = ticks;
        if (cpu < least_cpu) least_cpu = cpu;
    }
    lw_recorder.reading = least_ticks;
    reading_cpu = least_cpu;
}

bool lw_recorder_begin(uint64_t origin, bool crowded) {
    lw_recorder.payload_bytes = LW_BLOCK_BYTES;
    lw_recorder.payload = malloc(lw_recorder.payload_bytes);
    lw_recorder.last_exit = origin;
    lw_recorder.long_gap =
        (uint64_t)((crowded ? long_gap_seconds_crowded : long_gap_seconds) * lw_clock.rate);
    every_gap = crowded;
    if (crowded) weigh_reading();
    nanoseconds_per_tick = 1e9 / lw_clock.rate;
    budget_interval = (uint64_t)(budget_interval_seconds * lw_clock.rate);
    next_budget_reading = origin;
    // A thread's CPU clock starts at 0 with the thread, and the first gap starts with the process.
    last_cpu = 0;
    last_cpu_thread = &lw_depth;
    return lw_recorder.payload != NULL;
}

void lw_lock_contended(void) {
    while (atomic_flag_test_and_set_explicit(&lw_busy, memory_order_acquire)) sched_yield();
}

uint64_t lw_enter_after_long_gap(struct lw_call* call, uint64_t now) {
    lw_lock();
    uint64_t cpu = lw_clock_read(CLOCK_THREAD_CPUTIME_ID);
    if (last_cpu_thread == &lw_depth) {
        uint64_t used = cpu > last_cpu + reading_cpu ? cpu - last_cpu - reading_cpu : 0;
        uint64_t wall = (uint64_t)((double)(now - lw_recorder.last_exit) * nanoseconds_per_tick);
        // Without a reading at the gap's start the difference holds earlier calls too: an upper bound.
        call->cpu = (int64_t)(used < wall ? used : wall);
    }
    last_cpu = cpu;
    last_cpu_thread = &lw_depth;
    lw_unlock();
    // The reading's own time goes to the gap, which is long, and not to the call, which may be short.
    return lw_ticks();
}

static void read_cpu_before_gap(const struct slot* slot, uint64_t now) {
    if (every_gap) {
        last_cpu = lw_clock_read(CLOCK_THREAD_CPUTIME_ID);
        last_cpu_thread = &lw_depth;
        return;
    }
    bool affordable = now >= next_budget_reading;
    if (!affordable && !slot->long_gap_follows) return;
    if (affordable) {
        uint64_t oldest = now - SAVED_READINGS * budget_interval;
        if ((int64_t)(next_budget_reading - oldest) < 0) next_budget_reading = oldest;
    }
    next_budget_reading += budget_interval;
    last_cpu = lw_clock_read(CLOCK_THREAD_CPUTIME_ID);
    last_cpu_thread = &lw_depth;
}

static bool reserve_payload(size_t bytes) {
    if (bytes <= lw_recorder.payload_bytes) return true;
    uint8_t* larger = realloc(lw_recorder.payload, bytes);
    if (!larger) return false;
    lw_recorder.payload = larger;
    lw_recorder.payload_bytes = bytes;
    return true;
}

uint8_t* lw_payload_begin(struct lw_call* call, enum lw_class class, size_t bytes) {
    enum { HEAD_AND_PADDING = 64 };
    if (!reserve_payload(bytes + HEAD_AND_PADDING)) return NULL;
    uint8_t* at = lw_put(lw_recorder.payload, call->name);
    *at++ = (uint8_t)class;
    return at;
}

static uint64_t hash_payload(const uint8_t* payload, size_t length) {
    uint64_t hash = length;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word;
        memcpy(&word, payload + i, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static inline bool slot_holds(const struct slot* slot, const uint8_t* payload, size_t length) {
    if (slot->block != block_number || slot->length != length) return false;
    if (length > INLINE_BYTES) return memcmp(slot->record, payload, length) == 0;
    for (size_t i = 0; i * 8 < length; i++) {
        uint64_t word;
        memcpy(&word, payload + i * 8, 8);
        if (word != slot->words[i]) return false;
    }
    return true;
}

static bool start_block(size_t bytes) {
    if (!lw_part_next_block(bytes, lw_recorder.last_exit, lw_recorder.next_request)) {
        lw_recorder.full = true;
        return false;
    }
    block_number++;
    shapes_in_block = 0;
    return true;
}

void lw_recorder_open(void) { start_block(EVENT_MOST_BYTES); }

static void write_shape(struct slot* slot, const uint8_t* payload, size_t length) {
    uint8_t* at = lw_put(lw_part.position + 1, length);
    memcpy(at, payload, length);
    slot->record = at;
    __atomic_store_n(lw_part.position, 1, __ATOMIC_RELEASE);
    lw_part.position = at + length;
    if (length <= INLINE_BYTES) memcpy(slot->words, payload, INLINE_BYTES);
    slot->block = block_number;
    slot->length = (uint32_t)length;
    slot->shape = shapes_in_block++;
}

static struct slot* find_or_write_shape(const uint8_t* payload, size_t length) {
    struct slot* set = &table[(hash_payload(payload, length) >> 40) % SETS * WAYS];
    size_t room = (size_t)(lw_part.end - lw_part.position);
    if (lw_part.block && room >= EVENT_MOST_BYTES) {
        if (slot_holds(&set[0], payload, length)) return &set[0];
        if (slot_holds(&set[1], payload, length)) return &set[1];
    }
    size_t needed = length + 2 * LW_VARINT_MOST_BYTES + EVENT_MOST_BYTES;
    if ((!lw_part.block || room < needed) && !start_block(needed)) return NULL;
    // The way that is empty, or whose shape is the older one of this block.
    bool second =
        set[0].block == block_number && (set[1].block != block_number || set[1].shape < set[0].shape);
    struct slot* slot = &set[second];
    write_shape(slot, payload, length);
    return slot;
}

static void write_event(const struct slot* slot, uint64_t gap, int64_t cpu, uint64_t duration) {
    uint8_t* at = lw_part.position;
    uint64_t head = 8 + 2 * (uint64_t)slot->shape + (cpu >= 0);
    uint8_t first = (uint8_t)head;
    uint8_t* next = at + 1;
    if (head >= 0x80) {
        first |= 0x80;
        next = lw_put(next, head >> 7);
    }
    next = lw_put(next, gap);
    if (cpu >= 0) next = lw_put(next, (uint64_t)cpu);
    next = lw_put(next, duration);
    // Stored last: a rank killed before this leaves a 0, the end of the block's data.
    __atomic_store_n(at, first, __ATOMIC_RELEASE);
    lw_part.position = next;
    lw_part.events++;
}

// Threads may overlap, and counters of two cores may differ by a few ticks: times never run backwards.
static void write_times(struct lw_call* call, struct slot* slot) {
    uint64_t before = lw_recorder.last_exit;
    uint64_t start = (int64_t)(call->start - before) > 0 ? call->start : before;
    uint64_t finish = (int64_t)(call->end - start) > 0 ? call->end : start;
    uint64_t gap = start - before;
    bool long_gap = gap >= lw_recorder.long_gap;
    if (last_slot) last_slot->long_gap_follows = long_gap;
    write_event(slot, gap, long_gap ? call->cpu : -1, finish - start);
    lw_recorder.last_exit = finish;
    last_slot = slot;
    read_cpu_before_gap(slot, finish);
}

void lw_write(struct lw_call* call, uint8_t* end) {
    if (!lw_tracing) return;
    struct slot* slot = NULL;
    if (end && !lw_recorder.full) {
        memset(end, 0, INLINE_BYTES);
        slot = find_or_write_shape(lw_recorder.payload, (size_t)(end - lw_recorder.payload));
    }
    if (slot)
        write_times(call, slot);
    else
        lw_part.header->dropped++;
}

void lw_write_local(struct lw_call* call) { lw_write(call, lw_payload_begin(call, LW_LOCAL, 0)); }

void lw_record_local(struct lw_call* call) {
    lw_lock();
    lw_write_local(call);
    lw_unlock();
}
