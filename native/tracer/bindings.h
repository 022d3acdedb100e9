// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The libraries through which Fortran calls the C procedures: a call from there was made by whoever called
/// them.
#ifndef LINKWORTH_BINDINGS_H
#define LINKWORTH_BINDINGS_H

#include "record.h"

#pragma GCC visibility push(hidden)

/// Addresses from the first of these libraries to the last one; 0 bytes if the program has none.
struct lw_bindings {
    uintptr_t low, bytes;
};
extern struct lw_bindings lw_bindings;

/// Finds them among the loaded libraries.
void lw_bindings_begin(void);
/// Returns the address where the program continues after a call that returns to SITE in the bindings. CFA is
/// the stack pointer ahead of the call to the wrapper. Returns SITE itself if the address cannot be found.
uintptr_t lw_site_behind_bindings(uintptr_t site, const void* cfa);

/// Notes in CALL where the program continues after it, in the wrapper itself.
LW_INLINE void lw_note_site(struct lw_call* call, void* site, const void* cfa) {
    call->site = (uintptr_t)site;
    if (__builtin_expect(call->site - lw_bindings.low < lw_bindings.bytes, 0))
        call->site = lw_site_behind_bindings(call->site, cfa);
}

#pragma GCC visibility pop
#endif
