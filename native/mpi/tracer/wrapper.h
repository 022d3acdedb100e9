// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// What every generated wrapper does before and after the real function.
#ifndef LINKWORTH_WRAPPER_H
#define LINKWORTH_WRAPPER_H

#include "bindings.h"
#include "repeat.h"

#pragma GCC visibility push(hidden)

/// As lw_enter, for a thread's first call.
void lw_enter_first(struct lw_call* call);

LW_INLINE bool lw_bypass(void) { return lw_own.depth || !lw_active; }

/// SITE and CFA: of the wrapper that the program called.
LW_INLINE void lw_enter(struct lw_call* call, uint32_t name, void* site, const void* cfa) {
    lw_own.depth = 1;
    call->name = name;
    call->alone = call->half_timed = false;
    call->cpu = -1;
    call->repeat = call->foreseen = NULL;
    lw_note_site(call, site, cfa);
    call->recording = lw_tracing;
    if (__builtin_expect(call->recording, 1)) {
        struct lw_thread* self = call->self = lw_own.self;
        if (__builtin_expect(self == NULL, 0)) {
            lw_enter_first(call);
            return;
        }
        uint64_t now = lw_ticks();
        if (__builtin_expect((int64_t)(now - self->last_exit) >= (int64_t)lw_recorder.long_gap, 0))
            now = lw_processor_time_after_gap(call, now);
        // Reading the CPU clock before the gap is not the program's computation: it goes to the call.
        call->start = now - lw_recorder.reading;
    }
}

/// The fast way: what nearly all calls need, with as few instructions as possible. What it leaves out (first
/// calls, long gaps and all that lw_fast excludes) takes the other way, a function of its own. False: nothing
/// is done yet, and the call must go there.
LW_INLINE bool lw_enter_fast(struct lw_call* call, uint32_t name, void* site, const void* cfa) {
    struct lw_thread* self = lw_own.self;
    if (__builtin_expect(!lw_fast || lw_own.depth || !self, 0)) return false;
    *call = (struct lw_call){.name = name, .recording = true, .alone = true, .cpu = -1, .self = self};
    if (__builtin_expect(lw_recorder.profiling, 0)) {
        call->half_timed = lw_pace_next(&self->paces, (uintptr_t)site);
        if (!call->half_timed) call->start = lw_counter_ticks();
    } else {
        call->start = lw_counter_ticks();
        bool long_gap = (int64_t)(call->start - self->last_exit) >= (int64_t)lw_recorder.long_gap;
        if (__builtin_expect(long_gap, 0)) return false;
        lw_note_site(call, site, cfa);
    }
    lw_own.depth = 1;
    return true;
}

LW_INLINE void lw_exit_fast(struct lw_call* call, bool succeeded) {
    call->end = lw_counter_ticks();
    call->succeeded = succeeded;
}

LW_INLINE void lw_exit(struct lw_call* call, bool succeeded) {
    if (__builtin_expect(call->recording, 1)) call->end = lw_ticks();
    call->succeeded = succeeded;
}

/// In place of lw_exit, of a call that takes some nanoseconds wherever it is made (wrapper_quick.py): the
/// clock is not read again, and what the call takes counts to the gap behind it.
LW_INLINE void lw_exit_quick(struct lw_call* call, bool succeeded) {
    call->end = call->start;
    call->succeeded = succeeded;
}

/// Where a profile is kept on the fast way: counts such a call, of which no time is noted.
LW_INLINE bool lw_count_quick(uint32_t name) {
    const struct lw_thread* self = lw_own.self;
    if (!lw_fast || lw_own.depth || !self || !lw_recorder.profiling) return false;
    self->tallies->calls[name].calls++;
    return true;
}

/// As lw_enter and the recording of a call by name and time, for procedures that are called too seldom to
/// have them inlined.
void lw_enter_seldom(struct lw_call* call, uint32_t name, void* site, const void* cfa);
void lw_record_seldom(struct lw_call* call);

LW_INLINE void lw_leave(void) { lw_own.depth = 0; }

#pragma GCC visibility pop
#endif
