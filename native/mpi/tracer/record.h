// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// From a call to records: the shapes of a block, the times of an event, the CPU time of long gaps.
///
/// A wrapper's life: lw_enter, the real function, lw_exit, one of the functions of point_to_point.h,
/// collective.h, communicator.h or lw_record_local, lw_leave. Such a function takes the lock, encodes the
/// payload with lw_payload_begin and lw_put, writes the event with lw_write, and gives the lock back.
#ifndef LINKWORTH_RECORD_H
#define LINKWORTH_RECORD_H

#include "clock.h"
#include "mpi_library.h"
#include "varint.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
};

/// One call of the program, while its wrapper runs.
struct lw_call {
    uint32_t name;        ///< number of the procedure in the table of names
    bool recording;       ///< false: only yielding was asked for
    bool succeeded;       ///< the real function answered MPI_SUCCESS
    int64_t cpu;          ///< CPU time of the gap before the call, ns; -1 where it was not read
    uint64_t start, end;  ///< ticks
};

struct lw_recorder {
    bool locked;         ///< several threads may call MPI at once
    bool full;           ///< no more space: events are only counted
    uint64_t last_exit;  ///< ticks at the end of the previous call
    uint64_t long_gap;   ///< ticks from which a gap carries CPU time
    uint64_t reading;  ///< ticks that the CPU clock takes at the start of every gap of a crowded run, else 0
    uint64_t next_request;
    uint8_t* payload;      ///< scratch for one shape's payload
    size_t payload_bytes;  ///< its size
};
extern struct lw_recorder lw_recorder;

/// Wrappers do something: a trace is being written, or blocking calls yield.
extern bool lw_active;
extern bool lw_tracing;
extern bool lw_yielding;
/// More than 0 inside an MPI call: what the library calls of itself is not the program's call.
extern __thread int lw_depth __attribute__((tls_model("initial-exec")));

/// Sets the recorder up for a program whose first gap starts at ORIGIN ticks; false where memory lacks.
/// CROWDED: ranks share cores, so that even a short gap may hold a wait for one.
bool lw_recorder_begin(uint64_t origin, bool crowded);
/// Opens the first block, ahead of the first event: mapping it takes longer than a call.
void lw_recorder_open(void);

uint64_t lw_enter_after_long_gap(struct lw_call* call, uint64_t now);
void lw_record_local(struct lw_call* call);
/// Starts a payload with room for BYTES after name and class; NULL where memory lacks. Under the lock.
uint8_t* lw_payload_begin(struct lw_call* call, enum lw_class class, size_t bytes);
/// Writes the event whose payload ends at END (NULL: none, the event is dropped). Under the lock.
void lw_write(struct lw_call* call, uint8_t* end);
/// As lw_record_local. Under the lock.
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

static inline bool lw_bypass(void) { return lw_depth || !lw_active; }

static inline void lw_enter(struct lw_call* call, uint32_t name) {
    lw_depth = 1;
    call->name = name;
    call->cpu = -1;
    call->recording = lw_tracing;
    if (__builtin_expect(call->recording, 1)) {
        uint64_t now = lw_ticks();
        if (__builtin_expect((int64_t)(now - lw_recorder.last_exit) >= (int64_t)lw_recorder.long_gap, 0))
            now = lw_enter_after_long_gap(call, now);
        // Reading the CPU clock before the gap is not the program's computation: it goes to the call.
        call->start = now - lw_recorder.reading;
    }
}

static inline void lw_exit(struct lw_call* call, bool succeeded) {
    if (__builtin_expect(call->recording, 1)) call->end = lw_ticks();
    call->succeeded = succeeded;
}

static inline void lw_leave(void) { lw_depth = 0; }

#pragma GCC visibility pop
#endif
