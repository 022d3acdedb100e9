// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Records of collectives: what each rank gives and gets, in bytes.
///
/// One function for each form of argument list. The blocking, non-blocking and persistent form of a
/// collective differ by the class and by REQUEST (NULL for blocking ones). Only arguments that are
/// significant on this rank are looked at.
#ifndef LINKWORTH_COLLECTIVE_H
#define LINKWORTH_COLLECTIVE_H

#include "record.h"

#pragma GCC visibility push(hidden)

/// What every collective has.
struct lw_collective {
    enum lw_class class;
    MPI_Comm comm;
    const MPI_Request* request;
    bool among_neighbours;  ///< peers are the neighbours of the communicator's process topology
};

/// One side of a collective: a buffer (only compared with MPI_IN_PLACE), a count and a datatype.
struct lw_side {
    const void* buffer;
    MPI_Count count;
    MPI_Datatype datatype;
};

/// A side with a count for each peer. LARGE: the counts are MPI_Count, not int. TYPES: a datatype for each
/// (Alltoallw).
struct lw_sides {
    const void *buffer, *counts;
    bool large;
    MPI_Datatype datatype;
    const MPI_Datatype* types;
};

void lw_record_barrier(struct lw_call* call, struct lw_collective what);
void lw_record_bcast(struct lw_call* call, struct lw_collective what, struct lw_side data, int root);
/// Allreduce, Scan, Exscan.
void lw_record_allreduce(struct lw_call* call, struct lw_collective what, struct lw_side data);
void lw_record_reduce(struct lw_call* call, struct lw_collective what, struct lw_side data, int root);
void lw_record_reduce_scatter(struct lw_call* call, struct lw_collective what, struct lw_sides pieces);
void lw_record_reduce_scatter_block(struct lw_call* call, struct lw_collective what, struct lw_side piece);
void lw_record_gather(struct lw_call* call, struct lw_collective what, struct lw_side send,
                      struct lw_side receive, int root);
void lw_record_scatter(struct lw_call* call, struct lw_collective what, struct lw_side send,
                       struct lw_side receive, int root);
void lw_record_gatherv(struct lw_call* call, struct lw_collective what, struct lw_side send,
                       struct lw_sides receive, int root);
void lw_record_scatterv(struct lw_call* call, struct lw_collective what, struct lw_sides send,
                        struct lw_side receive, int root);
/// Allgather, Alltoall, Neighbor_allgather, Neighbor_alltoall.
void lw_record_allgather(struct lw_call* call, struct lw_collective what, struct lw_side send,
                         struct lw_side receive);
/// Allgatherv, Neighbor_allgatherv.
void lw_record_allgatherv(struct lw_call* call, struct lw_collective what, struct lw_side send,
                          struct lw_sides receive);
/// Alltoallv, Alltoallw, Neighbor_alltoallv, Neighbor_alltoallw.
void lw_record_alltoallv(struct lw_call* call, struct lw_collective what, struct lw_sides send,
                         struct lw_sides receive);

#pragma GCC visibility pop
#endif
