// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Ranks and tags as the trace format numbers them, whatever the library's constants are.
#ifndef LINKWORTH_RANK_H
#define LINKWORTH_RANK_H

#include <mpi.h>

enum { LW_ANY = -1, LW_NOBODY = -2, LW_ROOT_ITSELF = -3 };

static inline int lw_rank(int rank) {
    if (__builtin_expect(rank >= 0, 1)) return rank;
    if (rank == MPI_ANY_SOURCE) return LW_ANY;
    return rank == MPI_ROOT ? LW_ROOT_ITSELF : LW_NOBODY;
}

static inline int lw_tag(int tag) { return tag >= 0 ? tag : LW_ANY; }

#endif
