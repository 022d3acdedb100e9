// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Records of collectives: the bytes that each rank sends and receives.
///
/// There is one function for each form of argument list. The blocking, non-blocking and persistent form of a
/// collective differ by the class and by REQUEST (NULL for blocking ones). Only arguments that are
/// significant on this rank are read.
#ifndef LINKWORTH_COLLECTIVE_H
#define LINKWORTH_COLLECTIVE_H

#include "datatype.h"
#include "repeat.h"
#include "request.h"

#pragma GCC visibility push(hidden)

/// Properties that every collective has.
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

/// Record calls that did not come as foreseen (repeat.h). Otherwise the same as the functions lw_record_...
/// below.
void lw_encode_barrier(struct lw_call* call, struct lw_collective what);
void lw_encode_bcast(struct lw_call* call, struct lw_collective what, struct lw_side data, int root);
void lw_encode_allreduce(struct lw_call* call, struct lw_collective what, struct lw_side data);
void lw_encode_reduce(struct lw_call* call, struct lw_collective what, struct lw_side data, int root);
void lw_encode_reduce_scatter_block(struct lw_call* call, struct lw_collective what, struct lw_side piece);
void lw_encode_gather(struct lw_call* call, struct lw_collective what, struct lw_side send,
                      struct lw_side receive, int root);
void lw_encode_scatter(struct lw_call* call, struct lw_collective what, struct lw_side send,
                       struct lw_side receive, int root);
void lw_encode_allgather(struct lw_call* call, struct lw_collective what, struct lw_side send,
                         struct lw_side receive);

/// Collectives with lists by peer. The lists are read on every call.
void lw_record_reduce_scatter(struct lw_call* call, struct lw_collective what, struct lw_sides pieces);
void lw_record_gatherv(struct lw_call* call, struct lw_collective what, struct lw_side send,
                       struct lw_sides receive, int root);
void lw_record_scatterv(struct lw_call* call, struct lw_collective what, struct lw_sides send,
                        struct lw_side receive, int root);
/// Allgatherv, Neighbor_allgatherv.
void lw_record_allgatherv(struct lw_call* call, struct lw_collective what, struct lw_side send,
                          struct lw_sides receive);
/// Alltoallv, Alltoallw, Neighbor_alltoallv, Neighbor_alltoallw.
void lw_record_alltoallv(struct lw_call* call, struct lw_collective what, struct lw_sides send,
                         struct lw_sides receive);

/// Arguments again, for a function that is not inlined (see lw_copy_key).
LW_INLINE struct lw_collective lw_copy_collective(struct lw_collective what) {
    return (struct lw_collective){what.class, what.comm, what.request, what.among_neighbours};
}

LW_INLINE struct lw_side lw_copy_side(struct lw_side side) {
    return (struct lw_side){side.buffer, side.count, side.datatype};
}

LW_INLINE uint32_t lw_collective_flags(struct lw_collective what) {
    return what.class == LW_COLLECTIVE_INIT ? LW_REQUEST_PERSISTENT : 0;
}

LW_INLINE bool lw_collective_has_key(struct lw_side send, struct lw_side receive) {
    return send.count == (int32_t)send.count && receive.count == (int32_t)receive.count;
}

/// Arguments that are not significant on this rank do no harm in the key.
LW_INLINE struct lw_key lw_collective_key(struct lw_collective what, struct lw_side send,
                                          struct lw_side receive, int root) {
    uint64_t in_place = 2 * (send.buffer == MPI_IN_PLACE) + (receive.buffer == MPI_IN_PLACE);
    return (struct lw_key){{(uint64_t)(uintptr_t)what.comm, (uint64_t)(uintptr_t)send.datatype,
                            (uint64_t)(uintptr_t)receive.datatype,
                            lw_pair((int32_t)send.count, (int32_t)receive.count),
                            (uint64_t)(uint32_t)root << 32 | in_place}};
}

LW_INLINE struct lw_repeat* lw_foresee_collective(const struct lw_call* call, struct lw_collective what,
                                                  struct lw_side send, struct lw_side receive, int root,
                                                  enum lw_key_words words) {
    if (__builtin_expect(!lw_collective_has_key(send, receive), 0)) return NULL;
    return lw_foresee(call, lw_collective_key(what, send, receive, root), words);
}

/// Call it ahead of the real function; see lw_foresee.
LW_INLINE struct lw_repeat* lw_foresee_barrier(const struct lw_call* call, struct lw_collective what) {
    return lw_foresee_collective(call, what, (struct lw_side){0}, (struct lw_side){0}, 0, LW_KEY_FIRST);
}

LW_INLINE struct lw_repeat* lw_foresee_bcast(const struct lw_call* call, struct lw_collective what,
                                             struct lw_side data, int root) {
    return lw_foresee_collective(call, what, data, data, root, LW_KEY_ALL_BUT_THIRD);
}

LW_INLINE struct lw_repeat* lw_foresee_allreduce(const struct lw_call* call, struct lw_collective what,
                                                 struct lw_side data) {
    return lw_foresee_collective(call, what, data, data, 0, LW_KEY_ALL_BUT_THIRD);
}

LW_INLINE struct lw_repeat* lw_foresee_reduce(const struct lw_call* call, struct lw_collective what,
                                              struct lw_side data, int root) {
    return lw_foresee_collective(call, what, data, data, root, LW_KEY_ALL_BUT_THIRD);
}

LW_INLINE struct lw_repeat* lw_foresee_reduce_scatter_block(const struct lw_call* call,
                                                            struct lw_collective what, struct lw_side piece) {
    return lw_foresee_collective(call, what, piece, piece, 0, LW_KEY_ALL_BUT_THIRD);
}

LW_INLINE struct lw_repeat* lw_foresee_gather(const struct lw_call* call, struct lw_collective what,
                                              struct lw_side send, struct lw_side receive, int root) {
    return lw_foresee_collective(call, what, send, receive, root, LW_KEY_FIRST_FOUR);
}

LW_INLINE struct lw_repeat* lw_foresee_scatter(const struct lw_call* call, struct lw_collective what,
                                               struct lw_side send, struct lw_side receive, int root) {
    return lw_foresee_collective(call, what, send, receive, root, LW_KEY_FIRST_FOUR);
}

LW_INLINE struct lw_repeat* lw_foresee_allgather(const struct lw_call* call, struct lw_collective what,
                                                 struct lw_side send, struct lw_side receive) {
    return lw_foresee_collective(call, what, send, receive, 0, LW_KEY_FIRST_FOUR);
}

LW_INLINE void lw_record_barrier(struct lw_call* call, struct lw_collective what) {
    lw_encode_barrier(LW_COPY(call), lw_copy_collective(what));
}

LW_INLINE void lw_record_bcast(struct lw_call* call, struct lw_collective what, struct lw_side data,
                               int root) {
    lw_encode_bcast(LW_COPY(call), lw_copy_collective(what), lw_copy_side(data), root);
}

/// Allreduce, Scan, Exscan.
LW_INLINE void lw_record_allreduce(struct lw_call* call, struct lw_collective what, struct lw_side data) {
    if (lw_profiles_alone(call)) {
        bool sends = what.class != LW_COLLECTIVE_INIT && call->succeeded;
        lw_add_up(call, sends ? lw_known_bytes(data.count, data.datatype) : 0);
        return;
    }
    lw_encode_allreduce(LW_COPY(call), lw_copy_collective(what), lw_copy_side(data));
}

LW_INLINE void lw_record_reduce(struct lw_call* call, struct lw_collective what, struct lw_side data,
                                int root) {
    lw_encode_reduce(LW_COPY(call), lw_copy_collective(what), lw_copy_side(data), root);
}

LW_INLINE void lw_record_reduce_scatter_block(struct lw_call* call, struct lw_collective what,
                                              struct lw_side piece) {
    lw_encode_reduce_scatter_block(LW_COPY(call), lw_copy_collective(what), lw_copy_side(piece));
}

LW_INLINE void lw_record_gather(struct lw_call* call, struct lw_collective what, struct lw_side send,
                                struct lw_side receive, int root) {
    lw_encode_gather(LW_COPY(call), lw_copy_collective(what), lw_copy_side(send), lw_copy_side(receive),
                     root);
}

LW_INLINE void lw_record_scatter(struct lw_call* call, struct lw_collective what, struct lw_side send,
                                 struct lw_side receive, int root) {
    lw_encode_scatter(LW_COPY(call), lw_copy_collective(what), lw_copy_side(send), lw_copy_side(receive),
                      root);
}

/// Allgather, Alltoall, Neighbor_allgather, Neighbor_alltoall.
LW_INLINE void lw_record_allgather(struct lw_call* call, struct lw_collective what, struct lw_side send,
                                   struct lw_side receive) {
    lw_encode_allgather(LW_COPY(call), lw_copy_collective(what), lw_copy_side(send), lw_copy_side(receive));
}

#pragma GCC visibility pop
#endif
