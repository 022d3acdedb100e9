// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Beginning and end of a recorded process: MPI_Init, MPI_Finalize, MPI_Abort, exit, fork.
#ifndef LINKWORTH_LIFECYCLE_H
#define LINKWORTH_LIFECYCLE_H

#include "record.h"

#pragma GCC visibility push(hidden)

/// All processes that started together, and this one's place among them.
struct lw_world {
    int rank, size;
    MPI_Group group;
    uint64_t thread_level;  ///< as the format numbers them
};

/// Returns false if this process was recorded already, or is being recorded.
bool lw_may_begin(void);
/// A process begins again after its recording ended: makes an empty part, so that the trace counts as
/// incomplete.
void lw_note_restart(void);
/// Before the real MPI_Init or MPI_Init_thread: makes the part.
void lw_before_init(struct lw_call* call, uint32_t name);
/// After it.
void lw_after_init(struct lw_call* call, bool succeeded);
/// Does the same after any first call.
void lw_after_begin(struct lw_call* call, bool succeeded, struct lw_world world);
/// After MPI_Init or MPI_Session_init of a process that MPI_Init or a session began already.
void lw_after_another_begin(struct lw_call* call, bool succeeded);
/// Before the real MPI_Finalize, with lw_enter done.
void lw_before_finalize(struct lw_call* call);
/// After MPI_Finalize or MPI_Session_finalize: the part is complete and closed if nothing of MPI stays open.
void lw_after_finalize(struct lw_call* call);
/// Before the real MPI_Abort, which does not return.
void lw_before_abort(struct lw_call* call, int code);
void lw_record_pcontrol(struct lw_call* call, int level);

#pragma GCC visibility pop
#endif
