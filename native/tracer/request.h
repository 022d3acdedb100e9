// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Numbers of the program's live requests, by handle.
///
/// Several live requests may share one handle: MPICH and Open MPI give the same one to every request that was
/// complete at once. They are distinguished by age, the oldest first, which is right because they are all
/// complete. A thread's own come before those of other threads, which may be of other kinds.
#ifndef LINKWORTH_REQUEST_H
#define LINKWORTH_REQUEST_H

#include "repeat.h"

#pragma GCC visibility push(hidden)

enum lw_request_flag {
    LW_REQUEST_PERSISTENT = 1,
    LW_REQUEST_ACTIVE = 2,    ///< meaningful for persistent ones: the others are always active
    LW_REQUEST_WILDCARD = 4,  ///< a receive whose source or tag is a wildcard
    LW_REQUEST_CANCEL_TRIED = 8,
    LW_REQUEST_FROM_NOBODY = 16,  ///< a wildcard receive from MPI_PROC_NULL
};

struct lw_request {
    uint64_t number;
    uint32_t next;  ///< younger one with the same handle, or in the list of free ones; 0: none
    uint32_t flags;
    uint32_t thread;  ///< number of the one that made it
    uint64_t bytes;   ///< profile: what each start sends
};

/// Requests of which only the number matters, while they are few and no others were made after them. They are
/// searched one by one, the oldest first, which takes less time than a table. Used on the fast way
/// (wrapper.h) only. All of them are older than those in the table.
enum { LW_FEW = 8 };
struct lw_few {
    uint32_t count;
    uint32_t room;  ///< LW_FEW, or 0 while the table has any
    MPI_Request handles[LW_FEW];
    uint64_t numbers[LW_FEW];
};
extern struct lw_few lw_few;

/// Returns the place of the oldest one with this handle, or their count if there is none.
LW_INLINE uint32_t lw_find_among_few(MPI_Request handle) {
    uint32_t at = 0;
    while (at < lw_few.count && lw_few.handles[at] != handle) at++;
    return at;
}

LW_INLINE void lw_remove_from_few(uint32_t at) {
    for (lw_few.count--; at < lw_few.count; at++) {
        lw_few.handles[at] = lw_few.handles[at + 1];
        lw_few.numbers[at] = lw_few.numbers[at + 1];
    }
}

/// Keeps a new request and numbers it. If memory runs out, the request is left out from then on. A profile
/// needs persistent ones only.
void lw_request_add(MPI_Request handle, uint32_t flags);
/// Returns the request that comes after NTH older ones with this handle, or NULL if it is unknown (null, or
/// made by a call that is not modelled). A result from the few is valid until the next search.
struct lw_request* lw_request_find_nth(MPI_Request handle, uint32_t nth);
static inline struct lw_request* lw_request_find(MPI_Request handle) {
    return lw_request_find_nth(handle, 0);
}
/// The oldest request with this handle, a persistent one, has the handle FRESH from now on. Open MPI gives it
/// to a buffered send that starts again before its data has left.
void lw_request_rename(MPI_Request handle, MPI_Request fresh);
/// Forgets the oldest request with this handle.
void lw_request_remove(MPI_Request handle);
/// If several threads call MPI: hides the requests with these handles from the other threads, each as often
/// as its handle occurs. The library may give a handle to another thread's request before this thread's call,
/// which completes or frees the previous one, is recorded. Persistent requests keep their handles and stay,
/// unless the call frees them (FREES).
void lw_requests_claim(int count, const MPI_Request* handles, bool frees);
/// Gives those back that the call neither completed nor freed.
void lw_requests_give_back(int count, const MPI_Request* handles);
/// Frees what the calling thread, which ends, keeps of requests.
void lw_requests_end_thread(void);
/// Returns whether any live request is a wildcard receive. If none is, statuses need not be read.
bool lw_requests_have_wildcards(void);
static inline bool lw_request_is_live(const struct lw_request* request) {
    return !(request->flags & LW_REQUEST_PERSISTENT) || (request->flags & LW_REQUEST_ACTIVE);
}

/// Numbers the request of an event that was written on the fast way.
LW_INLINE void lw_add_request(MPI_Request handle, uint32_t flags) {
    if (__builtin_expect(!flags && lw_few.count < lw_few.room, 1)) {
        uint32_t at = lw_few.count++;
        lw_few.handles[at] = handle;
        lw_few.numbers[at] = lw_recorder.next_request++;
    } else {
        lw_request_add(handle, flags);
    }
}

#pragma GCC visibility pop
#endif
