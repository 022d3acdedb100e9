// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Programs that begin with MPI_Session_init instead of MPI_Init.
#ifndef LINKWORTH_SESSION_H
#define LINKWORTH_SESSION_H

#include "record.h"

#pragma GCC visibility push(hidden)

/// MPI_Init was called as well: MPI_Finalize ends the recording, not the last session.
void lw_sessions_forget(void);

#ifdef LW_HAS_SESSIONS

/// Replaces lw_enter before the real MPI_Session_init: the process's first call begins the recording. Returns
/// whether it does.
bool lw_before_session_init(struct lw_call* call, uint32_t name);
/// After it. BEGUN: the answer of lw_before_session_init.
void lw_after_session_init(struct lw_call* call, bool succeeded, bool begun, const MPI_Session* session);
/// After MPI_Session_finalize: the end of the last session ends a recording which a session began.
void lw_after_session_finalize(struct lw_call* call);

#endif

#pragma GCC visibility pop
#endif
