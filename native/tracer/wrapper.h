// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Code that every generated wrapper runs before and after the real function.
#ifndef LINKWORTH_WRAPPER_H
#define LINKWORTH_WRAPPER_H

#include "bindings.h"
#include "repeat.h"

#pragma GCC visibility push(hidden)

/// Same as lw_enter for a thread's first call.
void lw_enter_first(struct lw_call* call);

/// Returns whether the program left the call under way by siglongjmp and calls anew, from the frame CFA. The
/// thread is then outside any call again.
bool lw_left_by_jump(uintptr_t cfa);

/// Returns whether a wrapper records nothing of the call.
LW_INLINE bool lw_bypass(const void* cfa) {
    if (!lw_active) return true;
    return __builtin_expect(lw_inside(), 0) && !lw_left_by_jump((uintptr_t)cfa);
}

/// Notes the frame of a wrapper, to which calls that the library makes of itself are nested.
LW_INLINE void lw_note_frame(uintptr_t frame, uintptr_t site) {
    lw_own.frame = frame;
    lw_own.site = site;
}

/// Begins a call that does not take the fast way. SITE and CFA belong to the wrapper that the program called.
/// START: ticks if the clock was already read for the call, else 0.
void lw_enter(struct lw_call* call, uint32_t name, void* site, const void* cfa, uint64_t start);

/// The fast way of nearly all calls, with as few instructions as possible. Other calls (first calls, long
/// gaps, calls that repeat no other, and all that lw_fast excludes) take the other way, a function of its
/// own. Returns false if the call must go there; nothing is done yet.
LW_INLINE bool lw_begin(struct lw_call* call, uint32_t name) {
    struct lw_thread* self = lw_own.ready;
    if (__builtin_expect(!self, 0)) return false;
    *call = (struct lw_call){.name = name, .recording = true, .alone = true, .cpu = -1, .self = self};
    call->start = lw_counter_ticks();
    return true;
}

/// Same as lw_begin for a call whose event is to be written.
LW_INLINE bool lw_begin_traced(struct lw_call* call, uint32_t name, void* site, const void* cfa) {
    if (!lw_begin(call, name)) return false;
    lw_note_site(call, site, cfa);
    return true;
}

/// Returns whether the gap ahead of the call was so long that the CPU clock must be read.
LW_INLINE bool lw_after_long_gap(const struct lw_call* call) {
    int64_t gap = (int64_t)(call->start - call->self->last_exit);
    return __builtin_expect(gap >= (int64_t)lw_recorder.long_gap, 0);
}

/// Around the real function, on the fast way.
LW_INLINE void lw_go_in(void) {
    lw_own.ready = NULL;
    lw_note_frame((uintptr_t)__builtin_dwarf_cfa(), (uintptr_t)__builtin_return_address(0));
}
LW_INLINE void lw_come_out(const struct lw_call* call) { lw_own.ready = call->self; }

LW_INLINE void lw_exit_fast(struct lw_call* call, bool succeeded) {
    call->end = lw_counter_ticks();
    call->succeeded = succeeded;
}

LW_INLINE void lw_exit(struct lw_call* call, bool succeeded) {
    if (__builtin_expect(call->recording, 1)) call->end = lw_ticks();
    call->succeeded = succeeded;
}

/// Replaces lw_exit for a call that always takes some nanoseconds (`quick` in wrappers.toml). The clock is
/// not read again, and the time of the call counts to the gap behind it.
LW_INLINE void lw_exit_quick(struct lw_call* call, bool succeeded) {
    call->end = call->start;
    call->succeeded = succeeded;
}

/// Counts such a call on the fast way of a profile, which does not record its time.
LW_INLINE bool lw_count_quick(uint32_t name) {
    const struct lw_thread* self = lw_own.ready;
    if (!self) return false;
    self->tallies->calls[name].calls++;
    return true;
}

/// Ways that a call may take. A program's call goes through lw_way to one of them, which is chosen once.
enum lw_ways { LW_PLAIN, LW_TRACED, LW_PROFILED };
/// Generated, by number of the procedure; NULL for those with one way only.
extern void* lw_way[];
void lw_choose_ways(enum lw_ways ways);

LW_INLINE void lw_leave(void) {
    lw_own.inside = false;
    lw_own.ready = lw_own.self;
}

#pragma GCC visibility pop
#endif
