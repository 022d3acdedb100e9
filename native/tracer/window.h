// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Records of one-sided communication: windows, transfers and the calls that order them.
#ifndef LINKWORTH_WINDOW_H
#define LINKWORTH_WINDOW_H

#include "record.h"

#include <limits.h>

#pragma GCC visibility push(hidden)

enum lw_rma_operation { LW_PUT, LW_GET, LW_ACCUMULATE, LW_FETCH };

enum lw_win_sync_kind {
    LW_FENCE,
    LW_POST,
    LW_ACCESS_START,
    LW_ACCESS_COMPLETE,
    LW_EXPOSURE_WAIT,
    LW_EXPOSURE_TEST,
    LW_LOCK,
    LW_LOCK_ALL,
    LW_UNLOCK,
    LW_UNLOCK_ALL,
    LW_FLUSH,
    LW_FLUSH_ALL,
    LW_FLUSH_LOCAL,
    LW_FLUSH_LOCAL_ALL,
    LW_SYNC,
};

/// Replaces a rank for a synchronisation with all of the window's ranks.
enum { LW_ALL_TARGETS = INT_MIN };

/// Count and datatype of a buffer of the origin.
struct lw_extent {
    MPI_Count count;
    MPI_Datatype datatype;
};

/// Target of an access. REQUEST: of MPI_Rput and its like, else NULL.
struct lw_target {
    MPI_Win window;
    int rank;
    const MPI_Request* request;
};

/// Records a constructor of windows. BYTES: memory that this rank exposes.
void lw_record_win_new(struct lw_call* call, MPI_Comm comm, MPI_Aint bytes, const MPI_Win* window);
/// Forgets a window ahead of the call that frees it. Returns its number and one, or 0 if it is not known.
uint32_t lw_win_forget(MPI_Win handle);
/// Records MPI_Win_free of a window. One that could not be freed is known again.
void lw_record_win_free(struct lw_call* call, MPI_Win handle, uint32_t number_and_one);

void lw_record_put(struct lw_call* call, struct lw_target target, struct lw_extent origin);
void lw_record_get(struct lw_call* call, struct lw_target target, struct lw_extent origin);
void lw_record_accumulate(struct lw_call* call, struct lw_target target, struct lw_extent origin);
/// MPI_Get_accumulate, MPI_Fetch_and_op: with MPI_NO_OP nothing goes to the target.
void lw_record_fetch(struct lw_call* call, struct lw_target target, struct lw_extent origin,
                     struct lw_extent result, MPI_Op operation);
void lw_record_compare_and_swap(struct lw_call* call, struct lw_target target, MPI_Datatype datatype);

/// A synchronisation with RANK, or with LW_ALL_TARGETS. FLAG: of a test whether the epoch has ended, of a
/// lock whether it is exclusive.
void lw_record_win_sync(struct lw_call* call, enum lw_win_sync_kind kind, MPI_Win window, int rank,
                        bool flag);
/// MPI_Win_post and MPI_Win_start.
void lw_record_win_group(struct lw_call* call, enum lw_win_sync_kind kind, MPI_Win window, MPI_Group group);

#pragma GCC visibility pop
#endif
