// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The short way to an event. Programs repeat their calls, and a call that repeats an earlier one of its
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

/// Copy of a call for a function that is not inlined. If its own address were passed on, the call would be
/// kept in memory and not in registers.
#define LW_COPY(call) ((struct lw_call[]){*(call)})

/// Copy of a key, built of its words. If the key were passed on as a whole, every call would have to store it
/// in memory from the start.
LW_INLINE struct lw_key lw_copy_key(struct lw_key key) {
    const uint64_t* words = key.words;
    return (struct lw_key){{words[0], words[1], words[2], words[3], words[4]}};
}

/// Grows when a handle begins or ceases to mean something, which makes all remembered calls with handles
/// void.
extern _Atomic uint32_t lw_meanings;
/// Call it when that happens; if threads call MPI at once, under the lock.
void lw_handles_changed(void);
/// Brings a thread's stamp up to date with lw_meanings, if threads do not call MPI at once.
void lw_repeat_renew(struct lw_thread* thread);

/// Chooses the place of SET that will remember the shape of the call that starts at START ticks.
struct lw_repeat* lw_repeat_place(struct lw_thread* self, struct lw_key key, struct lw_repeat* set,
                                  uint64_t start);
/// Writes an event of any times.
void lw_write_any_event(struct lw_thread* self, uint64_t head, uint64_t gap, int64_t cpu, uint64_t duration);
/// Notes a call with unusual times.
void lw_note_any(const struct lw_call* call, struct lw_repeat* repeat);
/// END: ticks at the end of a call. Returns them, moved behind those of the previously recorded call.
uint64_t lw_lock_contended_in_order(const struct lw_thread* self, uint64_t end);

/// Same as lw_lock, ahead of lw_repeats: what is recorded then ends after what was recorded under the lock
/// before.
LW_INLINE void lw_lock_in_order(struct lw_call* call) {
    if (!call->alone && __builtin_expect(lw_recorder.locked, 0))
        call->end = lw_lock_contended_in_order(call->self, call->end);
}

/// Same as lw_unlock.
LW_INLINE void lw_unlock_after(const struct lw_call* call) {
    if (!call->alone) lw_unlock();
}

LW_INLINE uint64_t lw_repeat_stamp(const struct lw_thread* self) {
    return self->stamp | atomic_load_explicit(&lw_meanings, memory_order_relaxed);
}

LW_INLINE uint64_t lw_pair(int32_t high, int32_t low) {
    return (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
}

LW_INLINE bool lw_repeat_is(const struct lw_repeat* repeat, const struct lw_key* key, uint64_t stamp) {
    uint64_t different = repeat->stamp ^ stamp;
    for (int i = 0; i < LW_REPEAT_WORDS; i++) different |= repeat->words[i] ^ key->words[i];
    return different == 0;
}

/// Words of a key that may differ between calls of one procedure at one site, a bit each. The last one always
/// counts: it identifies the procedure and the site.
enum lw_key_words {
    LW_KEY_NONE = 0,
    LW_KEY_FIRST = 1,
    LW_KEY_FIRST_THREE = 7,
    LW_KEY_FIRST_FOUR = 15,
    LW_KEY_ALL_BUT_THIRD = 11,
};

/// Same as lw_repeat_is if only WORDS may differ. Compares one word after the other: the processor predicts
/// every comparison, and none waits for the others.
LW_INLINE bool lw_repeat_looks(const struct lw_repeat* repeat, const struct lw_key* key,
                               enum lw_key_words words, uint64_t stamp) {
    enum { LAST = LW_REPEAT_WORDS - 1 };
    if (__builtin_expect(repeat->words[LAST] != key->words[LAST], 0)) return false;
    for (int i = 0; i < LAST; i++)
        if ((unsigned)words >> i & 1 && __builtin_expect(repeat->words[i] != key->words[i], 0)) return false;
    return __builtin_expect(repeat->stamp == stamp, 1);
}

enum { LW_SHORT_TIME_BITS = 14, LW_SHORT_TIMES_BYTES = 4 };
/// Two times of 0 as varints of two bytes each.
#define LW_SHORT_TIMES ((uint64_t)0x00800080u)

// Two varints of two bytes each, whatever the times: no branch depends on them, and little has to be
// computed.
LW_INLINE void lw_write_short_event(struct lw_stream* stream, const struct lw_repeat* repeat, uint64_t gap,
                                    uint64_t duration) {
    uint64_t both = gap | duration << 16;
    uint64_t times = (both & 0x007f007fu) + (both << 1 & 0x7f007f00u);
    uint64_t record = repeat->record | times << repeat->head_bits;
    // With one store of 8 bytes, a rank is killed before it or after it. The bytes behind the record are 0.
    memcpy(stream->position, &record, sizeof record);
    stream->position += repeat->short_bytes;
    stream->events++;
}

/// Adds a call up by its times.
LW_INLINE void lw_add_up_times(const struct lw_call* call) {
    struct lw_thread* self = call->self;
    uint64_t before = self->last_exit;
    // Threads may overlap, and counters of two cores may differ by a few ticks: times never run backwards.
    uint64_t start = call->start > before ? call->start : before;
    uint64_t end = call->end > start ? call->end : start;
    self->last_exit = self->tallies->last = end;
    struct lw_tally* tally = &self->tallies->calls[call->name];
    tally->calls++;
    tally->inside += end - start;
    tally->before += start - before;
}

/// Adds a call up that sends BYTES.
LW_INLINE void lw_add_up(const struct lw_call* call, uint64_t bytes) {
    lw_add_up_times(call);
    lw_tally_bytes(call->self->tallies, call->name, bytes);
}

/// Writes the event of a call that repeats an earlier one. Not used if a profile is kept.
LW_INLINE void lw_note_event(const struct lw_call* call, struct lw_repeat* repeat) {
    struct lw_thread* self = call->self;
    uint64_t gap = call->start - self->last_exit, duration = call->end - call->start;
    // This includes times that run backwards.
    if (__builtin_expect(call->cpu >= 0 || (gap | duration) >> LW_SHORT_TIME_BITS, 0)) {
        lw_note_any(LW_COPY(call), repeat);
        return;
    }
    self->last_exit = call->end;
    lw_write_short_event(&self->stream, repeat, gap, duration);
    self->long_gap_follows = &repeat->long_gap_follows;
    if (__builtin_expect(call->end >= self->cpu.next_reading || repeat->long_gap_follows, 0))
        lw_processor_time_before_gap(self, repeat->long_gap_follows, call->end);
}

LW_INLINE void lw_note(const struct lw_call* call, struct lw_repeat* repeat) {
    if (__builtin_expect(lw_recorder.profiling, 0))
        lw_add_up(call, repeat->bytes);
    else
        lw_note_event(call, repeat);
}

/// The two places in which a call with this key may be kept; the procedure and the site go into the key.
LW_INLINE struct lw_repeat* lw_repeat_set(const struct lw_call* call, struct lw_key* key) {
    uint64_t* words = key->words;
    // Spread over the word, so that no two places differ as two arguments do.
    words[4] ^= (call->site ^ (uint64_t)call->name << 48) * 0xd1342543de82ef95u;
    uint64_t low = words[0] + 2 * words[1] + 4 * words[2];
    uint64_t hash = (low + (words[3] << 23 | words[3] >> 41)) * 0x9e3779b97f4a7c15u + words[4];
    struct lw_repeat* set = &call->self->repeats[hash >> 56 << 1];
    // Keeps the address in one register: otherwise compilers compute it a second time after the lookup.
    __asm__("" : "+r"(set));
    return set;
}

/// On the fast way, ahead of the real function: looks up what the call repeats if it succeeds with the
/// results in the key. Returns NULL if that is not known. While the processor waits for the clock and runs
/// the real function, this takes almost no time, unlike afterwards.
LW_INLINE struct lw_repeat* lw_foresee(const struct lw_call* call, struct lw_key key,
                                       enum lw_key_words words) {
    const struct lw_thread* self = call->self;
    if (__builtin_expect(self->stream.position >= self->stream.event_end, 0)) return NULL;
    struct lw_repeat* set = lw_repeat_set(call, &key);
    if (lw_repeat_looks(set, &key, words, self->stamp)) return set;
    return lw_repeat_looks(set + 1, &key, words, self->stamp) ? set + 1 : NULL;
}

/// Looks up a call that is recorded by name and time only.
LW_INLINE struct lw_repeat* lw_foresee_local(const struct lw_call* call) {
    return lw_foresee(call, (struct lw_key){{0}}, LW_KEY_NONE);
}

/// Returns true if the call was made before with these arguments; its event is then written. If false, the
/// caller encodes and writes it, and the next such call repeats it. If requests are numbered or completed:
/// under the lock.
LW_INLINE bool lw_repeats(struct lw_call* call, struct lw_key key) {
    if (__builtin_expect(!call->succeeded, 0)) return false;
    struct lw_thread* self = call->self;
    struct lw_repeat* set = lw_repeat_set(call, &key);
    uint64_t stamp = lw_repeat_stamp(self);
    struct lw_repeat* found = set;
    if (__builtin_expect(!lw_repeat_is(found, &key, stamp), 0)) {
        found++;
        if (!lw_repeat_is(found, &key, stamp)) {
            call->repeat = lw_repeat_place(self, lw_copy_key(key), set, call->start);
            return false;
        }
    }
    if (__builtin_expect(self->stream.position >= self->stream.event_end, 0)) return false;
    lw_note(call, found);
    return true;
}

void lw_encode_local(struct lw_call* call);

/// If a profile is kept: adds up a call that sends nothing, of which nothing more is recorded.
LW_INLINE bool lw_only_added_up(const struct lw_call* call) {
    if (__builtin_expect(!lw_recorder.profiling, 1)) return false;
    lw_add_up(call, 0);
    return true;
}

/// Returns whether a profile is kept and the call is on the fast way.
LW_INLINE bool lw_profiles_alone(const struct lw_call* call) {
    return call->alone && __builtin_expect(lw_recorder.profiling, 0);
}

/// Records a call by its name and time alone.
void lw_record_local(struct lw_call* call);

#pragma GCC visibility pop
#endif
