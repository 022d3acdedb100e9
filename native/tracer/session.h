// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Programs that begin with MPI_Session_init instead of MPI_Init.
#ifndef LINKWORTH_SESSION_H
#define LINKWORTH_SESSION_H

#include "record.h"

#pragma GCC visibility push(hidden)

#ifdef LW_HAS_SESSIONS

/// Replaces lw_enter before the real MPI_Session_init: the process's first call begins the recording. Returns
/// whether it does.
bool lw_before_session_init(struct lw_call* call, uint32_t name);
/// After it. BEGUN: the answer of lw_before_session_init.
void lw_after_session_init(struct lw_call* call, bool succeeded, bool begun, const MPI_Session* session);

#endif

#pragma GCC visibility pop
#endif
