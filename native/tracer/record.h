// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Conversion of calls to records: the shapes of a block, the times of an event, the CPU time of long gaps.
///
/// A wrapper's life: lw_enter (wrapper.h), the real function, lw_exit, one of the functions of
/// point_to_point.h, collective.h, communicator.h or lw_record_local, lw_leave. If lw_repeats does not find
/// the call, such a function takes the lock, encodes the payload with lw_payload_begin and lw_put, writes the
/// event with lw_write, and releases the lock. Most calls repeat an earlier one and take the fast way:
/// lw_begin_traced, a look ahead (lw_foresee, repeat.h), the real function, lw_note_event.
#ifndef LINKWORTH_RECORD_H
#define LINKWORTH_RECORD_H

#include "clock.h"
#include "mpi_library.h"
#include "varint.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// For functions on the way of every recorded call: compilers optimise for size where time matters here. Not
/// used under a sanitizer, whose checks would be compiled anew in every wrapper.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LW_INLINE static inline
#else
#define LW_INLINE static inline __attribute__((always_inline))
#endif

#pragma GCC visibility push(hidden)

enum lw_class {
    LW_LOCAL,
    LW_SEND,
    LW_ISEND,
    LW_RECV,
    LW_IRECV,
    LW_SENDRECV,
    LW_SEND_INIT,
    LW_RECV_INIT,
    LW_START,
    LW_COMPLETE,
    LW_REQUEST_FREE,
    LW_PROBE,
    LW_COLLECTIVE,
    LW_ICOLLECTIVE,
    LW_COLLECTIVE_INIT,
    LW_COMM_NEW,
    LW_ICOMM_NEW,
    LW_COMM_FREE,
    LW_INIT,
    LW_FINALIZE,
    LW_ABORT,
    LW_PCONTROL,
    LW_REQUEST_CANCEL,
    LW_WIN_NEW,
    LW_WIN_FREE,
    LW_RMA,
    LW_IRMA,
    LW_WIN_SYNC,
    LW_PSEND_INIT,
    LW_PRECV_INIT,
    LW_PREADY,
    LW_PREADY_LIST,
    LW_PARRIVED,
    LW_ISENDRECV,
};

struct lw_thread;
struct lw_repeat;

/// One call of the program, while its wrapper runs.
struct lw_call {
    uint32_t name;               ///< number of the procedure in the table of names
    bool recording;              ///< false: only yielding was requested
    bool alone;                  ///< no other thread records at the same time: lw_fast
    bool succeeded;              ///< the real function answered MPI_SUCCESS
    int64_t cpu;                 ///< CPU time of the gap before the call, ns; -1 if it was not read
    uint64_t start, end;         ///< ticks
    uintptr_t site;              ///< where the program goes on after the call; 0: not known
    struct lw_thread* self;      ///< who calls; set if recording
    struct lw_repeat* repeat;    ///< where the call's shape is to be remembered (repeat.h), or NULL
    struct lw_repeat* foreseen;  ///< fast way: the call repeats this one, if it ends as expected
    uint32_t few;                ///< of a foreseen wait: the request's place among the few (request.h)
};

/// State that all threads of the process share. Only `latest_ordered` and `next_request` change after
/// MPI_Init, and `locked` once.
struct lw_recorder {
    bool locked;        ///< several threads call MPI, or may do so at once
    bool crowded;       ///< ranks share cores: the CPU clock is read at gaps, see processor_time.c
    bool profiling;     ///< calls are added up (profile.h), no events are written
    bool full;          ///< no more space: calls are only counted
    uint64_t long_gap;  ///< ticks from which a gap carries CPU time
    uint64_t next_request;
    uint64_t latest_ordered;  ///< if `locked`: end of the latest event that was written under the lock
    uint8_t* payload;         ///< scratch for one shape's payload
    size_t payload_bytes;     ///< its size
};
extern struct lw_recorder lw_recorder;

/// Wrappers do something: a trace or a profile is being written, or blocking calls yield.
extern bool lw_active;
extern bool lw_tracing;
extern bool lw_yielding;
/// There is a fast way (wrapper.h): only recording was requested, ticks are the counter's, one thread calls
/// MPI at a time, and the library has every procedure.
extern bool lw_fast;

/// State of one thread.
struct lw_own {
    struct lw_thread* ready;      ///< its state (thread.h) while it is outside any MPI call, else NULL
    struct lw_thread* self;       ///< its state; NULL until its first call
    bool inside;                  ///< an MPI call that did not take the fast way
    uintptr_t frame;              ///< CFA of the wrapper of the call under way; 0: not known
    uintptr_t site;               ///< its return address
    struct lw_call* duplicating;  ///< a duplication under way, whose callbacks make communicators; or NULL
};
extern __thread struct lw_own lw_own __attribute__((tls_model("initial-exec")));

/// Returns whether an MPI call is under way. A call that the library makes inside it is not the program's.
LW_INLINE bool lw_inside(void) { return lw_own.inside || (lw_own.self && !lw_own.ready); }

/// Sets the recorder up. Returns false if memory runs out. CROWDED: ranks share cores, so that even a short
/// gap may include a wait for one.
bool lw_recorder_begin(bool crowded);

/// Starts a payload with room for BYTES after name and class. Returns NULL if memory runs out. Under the
/// lock.
uint8_t* lw_payload_begin(struct lw_call* call, enum lw_class class, size_t bytes);
/// Counts a call that comes after there was no more space.
void lw_drop(void);
/// Writes the event whose payload ends at END (NULL: none, the event is dropped). Under the lock.
void lw_write(struct lw_call* call, uint8_t* end);
/// Same as lw_write, of a call that may not return, and before it does: the event lasts no time yet.
void lw_write_ahead(struct lw_call* call, uint8_t* end);
/// Gives the event that was written ahead the time of the call, which has returned. Returns false if there is
/// none. Under the lock.
bool lw_write_end(const struct lw_call* call);
/// Writes a call by name and time only. Under the lock.
void lw_write_local(struct lw_call* call);
/// Lock of all that the recorder, the requests and the communicators keep.
void lw_lock_contended(void);
extern atomic_flag lw_busy;

static inline void lw_lock(void) {
    if (__builtin_expect(lw_recorder.locked, 0)) lw_lock_contended();
}

static inline void lw_unlock(void) {
    if (__builtin_expect(lw_recorder.locked, 0)) atomic_flag_clear_explicit(&lw_busy, memory_order_release);
}

#pragma GCC visibility pop
#endif
