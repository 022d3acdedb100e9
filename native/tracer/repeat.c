// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "repeat.h"

#include <string.h>

_Atomic uint32_t lw_meanings;

void lw_repeat_renew(struct lw_thread* thread) {
    if (lw_recorder.locked) return;
    uint64_t meanings = atomic_load_explicit(&lw_meanings, memory_order_relaxed);
    thread->stamp = (thread->stamp & ~(uint64_t)UINT32_MAX) | meanings;
}

void lw_handles_changed(void) {
    atomic_fetch_add_explicit(&lw_meanings, 1, memory_order_relaxed);
    // The fast way looks at the thread's stamp alone.
    if (!lw_recorder.locked) lw_threads_each(lw_repeat_renew);
}

static bool same_arguments(const struct lw_repeat* repeat, const struct lw_key* key) {
    return memcmp(repeat->words, key->words, sizeof key->words) == 0;
}

struct lw_repeat* lw_repeat_place(struct lw_thread* self, struct lw_key key, struct lw_repeat* set,
                                  uint64_t start) {
    uint64_t stamp = lw_repeat_stamp(self);
    struct lw_repeat* place;
    // Prefer the call's own place from an earlier block, whose prediction is kept, then a void place, then
    // each in turn.
    if (same_arguments(&set[0], &key)) {
        place = &set[0];
    } else if (same_arguments(&set[1], &key)) {
        place = &set[1];
    } else {
        place = &set[set[0].stamp == stamp && (set[1].stamp != stamp || (start & 1))];
        place->long_gap_follows = false;
    }
    // A prediction that waits for its gap must not be written into another call's.
    if (self->long_gap_follows == &place->long_gap_follows)
        self->long_gap_follows = &self->shapes[0].long_gap_follows;
    place->stamp = 0;
    memcpy(place->words, key.words, sizeof key.words);
    return place;
}

void lw_write_any_event(struct lw_thread* self, uint64_t head, uint64_t gap, int64_t cpu, uint64_t duration) {
    uint8_t* start = self->stream.position;
    head += cpu >= 0;
    uint8_t* next = start + 1;
    uint8_t first = (uint8_t)head;
    if (head >= 0x80) {
        first |= 0x80;
        next = lw_put(next, head >> 7);
    }
    next = lw_put(next, gap);
    if (cpu >= 0) next = lw_put(next, (uint64_t)cpu);
    next = lw_put(next, duration);
    // Stored last: a rank killed before this leaves a 0, the end of the block's data.
    __atomic_store_n(start, first, __ATOMIC_RELEASE);
    self->stream.position = next;
    self->stream.events++;
}

static uint64_t number_of_head(const struct lw_repeat* repeat) {
    uint64_t first = repeat->record & 0x7f;
    return repeat->head_bits == 8 ? first : first | (repeat->record >> 8 & 0x7f) << 7;
}

// Threads may overlap, and counters of two cores may differ by a few ticks: times never run backwards.
void lw_note_any(const struct lw_call* call, struct lw_repeat* repeat) {
    struct lw_thread* self = call->self;
    uint64_t before = self->last_exit;
    uint64_t start = call->start > before ? call->start : before;
    uint64_t finish = call->end > start ? call->end : start;
    uint64_t gap = start - before;
    self->last_exit = finish;
    int64_t cpu = gap >= lw_recorder.long_gap ? call->cpu : -1;
    lw_write_any_event(self, number_of_head(repeat), gap, cpu, finish - start);
    self->long_gap_follows = &repeat->long_gap_follows;
    if (finish >= self->cpu.next_reading || repeat->long_gap_follows)
        lw_processor_time_before_gap(self, repeat->long_gap_follows, finish);
}
