// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "session.h"

#include "lifecycle.h"
#include "wrapper.h"

#ifdef LW_HAS_SESSIONS

static struct lw_world world_of(MPI_Session session) {
    // Any thread may call, whatever the session allows: each session requests its own level.
    struct lw_world world = {.rank = 0, .size = 1, .thread_level = 3};
    if (lw_mpi.group_from_session_pset(session, "mpi://WORLD", &world.group) == MPI_SUCCESS) {
        lw_mpi.group_rank(world.group, &world.rank);
        lw_mpi.group_size(world.group, &world.size);
    }
    return world;
}

bool lw_before_session_init(struct lw_call* call, uint32_t name) {
    bool begins = !lw_active && lw_may_begin();
    if (begins) {
        lw_before_init(call, name);
    } else {
        if (!lw_tracing) lw_note_restart();
        lw_enter(call, name, NULL, NULL, 0);
    }
    return begins;
}

void lw_after_session_init(struct lw_call* call, bool succeeded, bool begun, const MPI_Session* session) {
    if (begun)
        lw_after_begin(call, succeeded, succeeded ? world_of(*session) : (struct lw_world){.rank = -1});
    else
        lw_after_another_begin(call, succeeded);
}

#endif
