// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// What every generated wrapper does before and after the real function.
#ifndef LINKWORTH_WRAPPER_H
#define LINKWORTH_WRAPPER_H

#include "bindings.h"
#include "repeat.h"

#pragma GCC visibility push(hidden)

/// As lw_enter, for a thread's first call.
void lw_enter_first(struct lw_call* call);

LW_INLINE bool lw_bypass(void) { return lw_depth || !lw_active; }

/// In the wrapper itself, whose return address tells the call site.
LW_INLINE void lw_enter(struct lw_call* call, uint32_t name) {
    lw_depth = 1;
    call->name = name;
    call->cpu = -1;
    call->repeat = NULL;
    lw_note_site(call, __builtin_return_address(0), __builtin_dwarf_cfa());
    call->recording = lw_tracing;
    if (__builtin_expect(call->recording, 1)) {
        struct lw_thread* self = call->self = lw_self;
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

LW_INLINE void lw_exit(struct lw_call* call, bool succeeded) {
    if (__builtin_expect(call->recording, 1)) call->end = lw_ticks();
    call->succeeded = succeeded;
}

LW_INLINE void lw_leave(void) { lw_depth = 0; }

#pragma GCC visibility pop
#endif
