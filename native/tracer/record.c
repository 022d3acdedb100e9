// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "record.h"

#include "repeat.h"
#include "site.h"
#include "wrapper.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

struct lw_recorder lw_recorder;
bool lw_active, lw_tracing, lw_yielding, lw_fast;
__thread struct lw_own lw_own __attribute__((tls_model("initial-exec")));
atomic_flag lw_busy = ATOMIC_FLAG_INIT;

enum { SHORT_BYTES = 8 * LW_SHAPE_WORDS };

bool lw_recorder_begin(bool crowded) {
    lw_recorder.payload_bytes = LW_BLOCK_BYTES;
    lw_recorder.payload = malloc(lw_recorder.payload_bytes);
    lw_recorder.crowded = crowded;
    lw_processor_time_begin();
    return lw_recorder.payload != NULL;
}

void lw_lock_contended(void) {
    while (atomic_flag_test_and_set_explicit(&lw_busy, memory_order_acquire)) sched_yield();
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
    uint8_t* at = lw_put(lw_recorder.payload, lw_site_entry(call));
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

static uint32_t open_block(const struct lw_thread* self) { return (uint32_t)(self->stamp >> 32); }

static inline bool shape_is(const struct lw_shape* shape, uint32_t block, const uint8_t* payload,
                            size_t length) {
    if (shape->block != block || shape->length != length) return false;
    if (length > SHORT_BYTES) return memcmp(shape->record, payload, length) == 0;
    for (size_t i = 0; i * 8 < length; i++) {
        uint64_t word;
        memcpy(&word, payload + i * 8, 8);
        if (word != shape->words[i]) return false;
    }
    return true;
}

bool lw_open_block(struct lw_thread* self, size_t bytes) {
    if (!lw_part_next_block(&self->stream, bytes, self->last_exit, lw_recorder.next_request)) {
        lw_recorder.full = true;
        return false;
    }
    self->stamp += (uint64_t)1 << 32;
    self->shapes_in_block = 0;
    return true;
}

static void write_shape(struct lw_thread* self, struct lw_shape* shape, const uint8_t* payload,
                        size_t length) {
    uint8_t* start = self->stream.position;
    uint8_t* at = lw_put(start + 1, length);
    memcpy(at, payload, length);
    shape->record = at;
    __atomic_store_n(start, 1, __ATOMIC_RELEASE);
    self->stream.position = at + length;
    if (length <= SHORT_BYTES) memcpy(shape->words, payload, SHORT_BYTES);
    shape->block = open_block(self);
    shape->length = (uint32_t)length;
    shape->number = self->shapes_in_block++;
}

static struct lw_shape* find_or_write_shape(struct lw_thread* self, const uint8_t* payload, size_t length) {
    struct lw_shape* set =
        &self->shapes[(hash_payload(payload, length) >> 40) % LW_SHAPE_SETS * LW_SHAPE_WAYS];
    size_t room = self->stream.block ? (size_t)(self->stream.end - self->stream.position) : 0;
    if (room >= LW_EVENT_MOST_BYTES) {
        if (shape_is(&set[0], open_block(self), payload, length)) return &set[0];
        if (shape_is(&set[1], open_block(self), payload, length)) return &set[1];
    }
    size_t needed = length + 2 * LW_VARINT_MOST_BYTES + LW_EVENT_MOST_BYTES;
    if (room < needed && !lw_open_block(self, needed)) return NULL;
    // Take the way that is empty, or whose shape is the older one of this block.
    uint32_t block = open_block(self);
    bool second = set[0].block == block && (set[1].block != block || set[1].number < set[0].number);
    struct lw_shape* shape = &set[second];
    write_shape(self, shape, payload, length);
    return shape;
}

// Makes the ends of events written under the lock grow from one to the next, across threads. The times then
// show the order in which requests were numbered and completed.
static uint64_t order(const struct lw_thread* self, uint64_t end) {
    uint64_t earliest = lw_recorder.latest_ordered + 1;
    if (earliest <= self->last_exit) earliest = self->last_exit + 1;
    if (end < earliest) end = earliest;
    lw_recorder.latest_ordered = end;
    return end;
}

uint64_t lw_lock_contended_in_order(const struct lw_thread* self, uint64_t end) {
    lw_lock_contended();
    return order(self, end);
}

static void write_times(struct lw_call* call, struct lw_shape* shape) {
    struct lw_thread* self = call->self;
    uint64_t before = self->last_exit;
    uint64_t start = call->start > before ? call->start : before;
    uint64_t finish = call->end > start ? call->end : start;
    uint64_t head = 8 + 2 * (uint64_t)shape->number;
    uint64_t bytes = head < 0x80 ? head : (head & 0x7f) | 0x80 | (head >> 7 & 0x7f) << 8;
    unsigned bits = head < 0x80 ? 8 : 16;
    uint64_t gap = start - before;
    int64_t cpu = gap >= lw_recorder.long_gap ? call->cpu : -1;
    lw_write_any_event(self, head, gap, cpu, finish - start);
    self->last_exit = finish;
    self->long_gap_follows = &shape->long_gap_follows;
    if (call->repeat && head < 1u << 14) {
        call->repeat->record = bytes | LW_SHORT_TIMES << bits;
        call->repeat->head_bits = (uint8_t)bits;
        call->repeat->short_bytes = (uint8_t)(bits / 8 + LW_SHORT_TIMES_BYTES);
        call->repeat->stamp = lw_repeat_stamp(self);
        self->long_gap_follows = &call->repeat->long_gap_follows;
    }
    call->repeat = NULL;
    bool predicted = *self->long_gap_follows;
    if (predicted || finish >= self->cpu.next_reading) lw_processor_time_before_gap(self, predicted, finish);
}

void lw_drop(void) { __atomic_fetch_add(&lw_part.header->dropped, 1, __ATOMIC_RELAXED); }

// From now on a call costs almost nothing: nothing is encoded, no clock is read.
static void stop_recording(void) {
    lw_tracing = lw_fast = false;
    lw_choose_ways(LW_PLAIN);
}

void lw_write(struct lw_call* call, uint8_t* end) {
    if (!lw_tracing) {
        if (lw_recorder.full && call->recording) lw_drop();
        return;
    }
    if (lw_recorder.profiling) {
        lw_profile_write(call, end);
        return;
    }
    if (lw_recorder.locked) call->end = order(call->self, call->end);
    struct lw_shape* shape = NULL;
    if (end && !lw_recorder.full) {
        memset(end, 0, SHORT_BYTES);
        shape = find_or_write_shape(call->self, lw_recorder.payload, (size_t)(end - lw_recorder.payload));
    }
    if (shape)
        write_times(call, shape);
    else
        lw_drop();
    if (lw_recorder.full) stop_recording();
}

// The event that was written ahead: where its duration is, its last field, and when it began.
static uint8_t* duration_ahead;
static uint64_t start_ahead;

void lw_write_ahead(struct lw_call* call, uint8_t* end) {
    if (lw_recorder.profiling) return;
    const struct lw_thread* self = call->self;
    start_ahead = call->start > self->last_exit ? call->start : self->last_exit;
    call->end = start_ahead;
    uint64_t dropped = lw_part.header->dropped;
    lw_write(call, end);
    if (!lw_tracing || lw_part.header->dropped != dropped) return;
    uint8_t longest[LW_VARINT_MOST_BYTES];
    duration_ahead = self->stream.position - (lw_put(longest, self->last_exit - start_ahead) - longest);
}

bool lw_write_end(const struct lw_call* call) {
    if (!duration_ahead) return false;
    struct lw_thread* self = call->self;
    if (call->end > self->last_exit) self->last_exit = call->end;
    self->stream.position = lw_put(duration_ahead, self->last_exit - start_ahead);
    return true;
}

void lw_write_local(struct lw_call* call) { lw_write(call, lw_payload_begin(call, LW_LOCAL, 0)); }

void lw_enter(struct lw_call* call, uint32_t name, void* site, const void* cfa, uint64_t start) {
    // First of all: what follows is slow with cold caches, and the program does not compute it.
    uint64_t now = start ? start : lw_ticks();
    lw_own.inside = true;
    lw_note_frame((uintptr_t)cfa, (uintptr_t)site);
    call->name = name;
    call->alone = lw_fast;
    call->cpu = -1;
    call->repeat = call->foreseen = NULL;
    lw_note_site(call, site, cfa);
    call->recording = lw_tracing;
    if (__builtin_expect(call->recording, 1)) {
        struct lw_thread* self = call->self = lw_own.self;
        lw_own.ready = NULL;
        if (__builtin_expect(self == NULL, 0)) {
            lw_enter_first(call);
            return;
        }
        // Reading the CPU clock before the gap is not the program's computation: it goes to the call.
        uint64_t reading = lw_reading_of_gap(self);
        if (__builtin_expect((int64_t)(now - reading - self->last_exit) >= (int64_t)lw_recorder.long_gap, 0))
            now = lw_processor_time_after_gap(call, now);
        call->start = now - reading;
    } else if (lw_recorder.full) {
        lw_drop();
    }
}

void lw_record_local(struct lw_call* call) {
    if (lw_only_added_up(call)) return;
    if (__builtin_expect(!lw_repeats(call, (struct lw_key){{0}}), 0)) lw_encode_local(LW_COPY(call));
}

void lw_encode_local(struct lw_call* call) {
    lw_lock();
    lw_write_local(call);
    lw_unlock();
}
