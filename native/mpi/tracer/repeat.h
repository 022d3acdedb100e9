// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The short way to an event: programs repeat their calls, and a call that repeats an earlier one of its
/// thread in all arguments has the same shape. Arguments are compared as they are, before any of them is
/// looked up.
#ifndef LINKWORTH_REPEAT_H
#define LINKWORTH_REPEAT_H

#include "profile.h"
#include "thread.h"

#include <string.h>

#pragma GCC visibility push(hidden)

/// The arguments of a call that its shape depends on. Unused words are 0.
struct lw_key {
    uint64_t words[LW_REPEAT_WORDS];
};

/// Grows when a handle begins or ceases to mean something: what was kept of calls with handles is void then.
extern _Atomic uint32_t lw_meanings;

/// Chooses the place where the shape of this call is to be remembered. Answers false.
bool lw_repeat_miss(struct lw_call* call, const struct lw_key* key, struct lw_repeat* set);
/// Writes an event whose times do not fit in few bytes.
void lw_write_long_event(struct lw_thread* self, uint16_t head, unsigned head_bits, uint64_t gap, int64_t cpu,
                         uint64_t duration);

/// As it, for every head of an event without CPU time.
void lw_write_any_event(struct lw_thread* self, uint64_t head, uint64_t gap, int64_t cpu, uint64_t duration);
void lw_lock_contended_in_order(struct lw_call* call);

/// As lw_lock, ahead of lw_repeats: what is recorded then ends after what was recorded under the lock before.
LW_INLINE void lw_lock_in_order(struct lw_call* call) {
    if (__builtin_expect(lw_recorder.locked, 0)) lw_lock_contended_in_order(call);
}

LW_INLINE void lw_handles_changed(void) { atomic_fetch_add_explicit(&lw_meanings, 1, memory_order_relaxed); }

LW_INLINE uint64_t lw_repeat_stamp(const struct lw_thread* self) {
    return self->stamp | atomic_load_explicit(&lw_meanings, memory_order_relaxed);
}

LW_INLINE uint64_t lw_pair(int32_t high, int32_t low) {
    return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

LW_INLINE bool lw_repeat_is(const struct lw_repeat* repeat, const struct lw_call* call,
                            const struct lw_key* key, uint64_t stamp) {
    uint64_t different = (repeat->stamp ^ stamp) | (uint64_t)(repeat->name ^ call->name);
    for (int i = 0; i < LW_REPEAT_WORDS; i++) different |= repeat->words[i] ^ key->words[i];
    return different == 0;
}

// A varint of at most 21 bits without a branch: how many bytes times have changes from call to call.
LW_INLINE uint64_t lw_short_varint(uint64_t value, unsigned* bits) {
    uint64_t over_one = value >= 1u << 7, over_two = value >= 1u << 14;
    *bits = 8 + 8 * (unsigned)(over_one + over_two);
    return (value & 0x7f) | (value << 1 & 0x7f00) | (value << 2 & 0x7f0000) | over_one << 7 | over_two << 15;
}

LW_INLINE void lw_write_event(struct lw_thread* self, uint16_t head, unsigned head_bits, uint64_t gap,
                              int64_t cpu, uint64_t duration) {
    if (__builtin_expect((gap | duration) >> 21 || cpu >= 0, 0)) {
        lw_write_long_event(self, head, head_bits, gap, cpu, duration);
        return;
    }
    unsigned gap_bits, duration_bits;
    uint64_t record = head | lw_short_varint(gap, &gap_bits) << head_bits;
    record |= lw_short_varint(duration, &duration_bits) << (head_bits + gap_bits);
    // One store of at most 8 bytes: a rank is killed before it or after it. What it writes behind the record
    // is 0.
    memcpy(self->stream.position, &record, sizeof record);
    self->stream.position += (head_bits + gap_bits + duration_bits) / 8;
    self->stream.events++;
}

// Threads may overlap, and counters of two cores may differ by a few ticks: times never run backwards.
LW_INLINE void lw_note(struct lw_call* call, struct lw_repeat* repeat) {
    struct lw_thread* self = call->self;
    uint64_t before = self->last_exit;
    uint64_t start = call->start > before ? call->start : before;
    uint64_t finish = call->end > start ? call->end : start;
    self->last_exit = finish;
    if (__builtin_expect(self->tallies != NULL, 0)) {
        lw_tally(self->tallies, call->name, (uint64_t)repeat->bytes_high << 32 | repeat->bytes_low,
                 start - before, finish - start);
        self->tallies->last = finish;
        return;
    }
    lw_write_event(self, repeat->head, repeat->head_bits, start - before, call->cpu, finish - start);
    self->long_gap_follows = &repeat->long_gap_follows;
    if (__builtin_expect(finish >= self->cpu.next_reading || repeat->long_gap_follows, 0))
        lw_processor_time_before_gap(self, repeat->long_gap_follows, finish);
}

/// True: the call was made before with these arguments, and its event is written. False: the caller encodes
/// and writes it, and the next such call repeats it. Where requests are numbered or completed: under the
/// lock.
LW_INLINE bool lw_repeats(struct lw_call* call, struct lw_key key) {
    if (__builtin_expect(!call->succeeded, 0)) return false;
    struct lw_thread* self = call->self;
    // The site as well: spread over the word, so that no two differ as two arguments do.
    key.words[4] ^= call->site * 0xd1342543de82ef95u;
    uint64_t low = key.words[0] + 2 * key.words[1] + 4 * key.words[2];
    uint64_t high = key.words[3] + 8 * key.words[4] + call->name;
    uint64_t hash = (low ^ (high << 23 | high >> 41)) * 0x9e3779b97f4a7c15u;
    struct lw_repeat* set = &self->repeats[hash >> 56 << 1];
    uint64_t stamp = lw_repeat_stamp(self);
    if (__builtin_expect(!lw_repeat_is(set, call, &key, stamp), 0)) {
        set++;
        if (!lw_repeat_is(set, call, &key, stamp)) return lw_repeat_miss(call, &key, set - 1);
    }
    if (__builtin_expect(self->stream.end - self->stream.position < LW_EVENT_MOST_BYTES, 0)) return false;
    lw_note(call, set);
    return true;
}

void lw_encode_local(struct lw_call* call);

/// A call of which the name and the time are all that is recorded. Not inline: most procedures record no
/// more, and copies of it in every wrapper are what takes longest to compile.
void lw_record_local(struct lw_call* call);

#pragma GCC visibility pop
#endif
