// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "repeat.h"

_Atomic uint32_t lw_meanings;

static bool same_arguments(const struct lw_repeat* repeat, const struct lw_call* call,
                           const struct lw_key* key) {
    return repeat->name == call->name && memcmp(repeat->words, key->words, sizeof key->words) == 0;
}

bool lw_repeat_miss(struct lw_call* call, const struct lw_key* key, struct lw_repeat* set) {
    uint64_t stamp = lw_repeat_stamp(call->self);
    struct lw_repeat* place;
    // Its own one of an earlier block, whose prediction is kept; else a void one; else in turn.
    if (same_arguments(&set[0], call, key)) {
        place = &set[0];
    } else if (same_arguments(&set[1], call, key)) {
        place = &set[1];
    } else {
        place = &set[set[0].stamp == stamp && (set[1].stamp != stamp || (call->start & 1))];
        place->long_gap_follows = false;
    }
    // A prediction that waits for its gap must not be written into another call's.
    if (call->self->long_gap_follows == &place->long_gap_follows)
        call->self->long_gap_follows = &call->self->shapes[0].long_gap_follows;
    place->stamp = 0;
    place->name = call->name;
    memcpy(place->words, key->words, sizeof key->words);
    call->repeat = place;
    return false;
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

void lw_write_long_event(struct lw_thread* self, uint16_t head, unsigned head_bits, uint64_t gap, int64_t cpu,
                         uint64_t duration) {
    uint64_t number = head_bits == 8 ? head : (head & 0x7fu) | (uint64_t)(head >> 8) << 7;
    lw_write_any_event(self, number, gap, gap >= lw_recorder.long_gap ? cpu : -1, duration);
}

void lw_record_local(struct lw_call* call) {
    if (__builtin_expect(!lw_repeats(call, (struct lw_key){{0}}), 0)) lw_encode_local(call);
}
