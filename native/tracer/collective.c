// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "collective.h"

#include "communicator.h"
#include "datatype.h"
#include "rank.h"
#include "request.h"

#include <limits.h>

// The fields of a collective's payload. The lists are given by the sides that they come from.
struct fields {
    int root;
    uint64_t sent, received, element;
    const struct lw_sides *sent_list, *received_list;
    int sent_peers, received_peers;  // lengths of the lists
};

// No library's constant: MPI_PROC_NULL, which is a root, is -1 in some.
static const int no_root = INT_MIN;

static uint64_t bytes_of(struct lw_side side) {
    return side.count > 0 ? (uint64_t)side.count * lw_type_size(side.datatype) : 0;
}

static uint64_t piece_of(const struct lw_sides* sides, int peer) {
    int64_t count =
        sides->large ? ((const MPI_Count*)sides->counts)[peer] : ((const int*)sides->counts)[peer];
    return count > 0 ? (uint64_t)count * lw_type_size(sides->types ? sides->types[peer] : sides->datatype)
                     : 0;
}

static uint64_t total_of(const struct lw_sides* sides, int peers) {
    uint64_t total = 0;
    for (int peer = 0; peer < peers; peer++) total += piece_of(sides, peer);
    return total;
}

static bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

static bool is_root(const struct lw_comm* comm, int root) {
    return comm->inter ? root == MPI_ROOT : root == comm->rank;
}

// Returns whether this rank's own piece takes part in a rooted collective. In an inter-communicator it does
// only in the group without the root.
static bool has_piece(const struct lw_comm* comm, int root) { return !comm->inter || root >= 0; }

static uint8_t* put_list(uint8_t* at, const struct lw_sides* sides, int peers) {
    if (!sides) return lw_put(at, 0);
    at = lw_put(at, (uint64_t)peers);
    for (int peer = 0; peer < peers; peer++) at = lw_put(at, piece_of(sides, peer));
    return at;
}

// Takes the lock and finds the communicator; without one (or after an error) the call is recorded as a local
// one.
static const struct lw_comm* begin(struct lw_call* call, struct lw_collective what) {
    lw_lock();
    const struct lw_comm* comm = call->succeeded ? lw_comm_find(what.comm) : NULL;
    if (!comm) {
        lw_write_local(call);
        lw_unlock();
    }
    return comm;
}

// Records the call of a communicator that `begin` has found, and gives the lock back.
static void end(struct lw_call* call, struct lw_collective what, const struct lw_comm* comm,
                struct fields fields) {
    uint64_t listed = (uint64_t)(fields.sent_list ? fields.sent_peers : 0) +
                      (uint64_t)(fields.received_list ? fields.received_peers : 0);
    uint8_t* at = lw_payload_begin(call, what.class, (8 + listed) * LW_VARINT_MOST_BYTES);
    if (at) {
        at = lw_put(at, comm->number);
        at = lw_put_signed(at, fields.root == no_root ? LW_ANY : lw_rank(fields.root));
        at = lw_put(at, fields.sent);
        at = lw_put(at, fields.received);
        at = lw_put(at, fields.element ? fields.element : 1);
        at = put_list(at, fields.sent_list, fields.sent_peers);
        at = put_list(at, fields.received_list, fields.received_peers);
    }
    lw_write(call, at);
    if (what.request) lw_request_add(*what.request, lw_collective_flags(what));
    lw_unlock();
}

// Records the call if it repeats a recorded one. Returns whether it does.
static bool repeats(struct lw_call* call, struct lw_collective what, struct lw_side send,
                    struct lw_side receive, int root) {
    if (!lw_collective_has_key(send, receive)) return false;
    struct lw_key key = lw_collective_key(what, send, receive, root);
    if (!what.request) return lw_repeats(call, key);
    lw_lock_in_order(call);
    bool repeated = lw_repeats(call, key);
    if (repeated) lw_request_add(*what.request, lw_collective_flags(what));
    lw_unlock_after(call);
    return repeated;
}

void lw_encode_barrier(struct lw_call* call, struct lw_collective what) {
    if (repeats(call, what, (struct lw_side){0}, (struct lw_side){0}, 0)) return;
    const struct lw_comm* comm = begin(call, what);
    if (comm) end(call, what, comm, (struct fields){.root = no_root});
}

void lw_encode_bcast(struct lw_call* call, struct lw_collective what, struct lw_side data, int root) {
    if (repeats(call, what, data, data, root)) return;
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    uint64_t bytes = is_root(comm, root) || has_piece(comm, root) ? bytes_of(data) : 0;
    end(call, what, comm, (struct fields){.root = root, .sent = bytes, .received = bytes});
}

void lw_encode_allreduce(struct lw_call* call, struct lw_collective what, struct lw_side data) {
    if (repeats(call, what, data, data, 0)) return;
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    uint64_t bytes = bytes_of(data);
    end(call, what, comm,
        (struct fields){
            .root = no_root, .sent = bytes, .received = bytes, .element = lw_type_size(data.datatype)});
}

void lw_encode_reduce(struct lw_call* call, struct lw_collective what, struct lw_side data, int root) {
    if (repeats(call, what, data, data, root)) return;
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    struct fields fields = {.root = root};
    if (is_root(comm, root) || has_piece(comm, root)) {
        fields.sent = fields.received = bytes_of(data);
        fields.element = lw_type_size(data.datatype);
    }
    end(call, what, comm, fields);
}

void lw_record_reduce_scatter(struct lw_call* call, struct lw_collective what, struct lw_sides pieces) {
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    end(call, what, comm,
        (struct fields){.root = no_root,
                        .sent = total_of(&pieces, comm->size),
                        .received = piece_of(&pieces, comm->rank),
                        .element = lw_type_size(pieces.datatype),
                        .received_list = &pieces,
                        .received_peers = comm->size});
}

void lw_encode_reduce_scatter_block(struct lw_call* call, struct lw_collective what, struct lw_side piece) {
    if (repeats(call, what, piece, piece, 0)) return;
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    uint64_t bytes = bytes_of(piece);
    end(call, what, comm,
        (struct fields){.root = no_root,
                        .sent = bytes * (uint64_t)comm->size,
                        .received = bytes,
                        .element = lw_type_size(piece.datatype)});
}

void lw_encode_gather(struct lw_call* call, struct lw_collective what, struct lw_side send,
                      struct lw_side receive, int root) {
    if (repeats(call, what, send, receive, root)) return;
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    struct fields fields = {.root = root};
    if (is_root(comm, root)) fields.received = bytes_of(receive);
    if (in_place(send.buffer))
        fields.sent = fields.received;
    else if (has_piece(comm, root))
        fields.sent = bytes_of(send);
    end(call, what, comm, fields);
}

void lw_encode_scatter(struct lw_call* call, struct lw_collective what, struct lw_side send,
                       struct lw_side receive, int root) {
    if (repeats(call, what, send, receive, root)) return;
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    struct fields fields = {.root = root};
    if (is_root(comm, root)) fields.sent = bytes_of(send);
    if (in_place(receive.buffer))
        fields.received = fields.sent;
    else if (has_piece(comm, root))
        fields.received = bytes_of(receive);
    end(call, what, comm, fields);
}

void lw_record_gatherv(struct lw_call* call, struct lw_collective what, struct lw_side send,
                       struct lw_sides receive, int root) {
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    struct fields fields = {.root = root, .received_peers = comm->peers};
    if (is_root(comm, root)) {
        fields.received = total_of(&receive, comm->peers);
        fields.received_list = &receive;
    }
    if (in_place(send.buffer))
        fields.sent = piece_of(&receive, comm->rank);
    else if (has_piece(comm, root))
        fields.sent = bytes_of(send);
    end(call, what, comm, fields);
}

void lw_record_scatterv(struct lw_call* call, struct lw_collective what, struct lw_sides send,
                        struct lw_side receive, int root) {
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    struct fields fields = {.root = root, .sent_peers = comm->peers};
    if (is_root(comm, root)) {
        fields.sent = total_of(&send, comm->peers);
        fields.sent_list = &send;
    }
    if (in_place(receive.buffer))
        fields.received = piece_of(&send, comm->rank);
    else if (has_piece(comm, root))
        fields.received = bytes_of(receive);
    end(call, what, comm, fields);
}

void lw_encode_allgather(struct lw_call* call, struct lw_collective what, struct lw_side send,
                         struct lw_side receive) {
    if (repeats(call, what, send, receive, 0)) return;
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    uint64_t received = bytes_of(receive);
    uint64_t sent = in_place(send.buffer) ? received : bytes_of(send);
    end(call, what, comm, (struct fields){.root = no_root, .sent = sent, .received = received});
}

void lw_record_allgatherv(struct lw_call* call, struct lw_collective what, struct lw_side send,
                          struct lw_sides receive) {
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    int peers = what.among_neighbours ? comm->sources : comm->peers;
    uint64_t sent = in_place(send.buffer) ? piece_of(&receive, comm->rank) : bytes_of(send);
    end(call, what, comm,
        (struct fields){.root = no_root,
                        .sent = sent,
                        .received = total_of(&receive, peers),
                        .received_list = &receive,
                        .received_peers = peers});
}

void lw_record_alltoallv(struct lw_call* call, struct lw_collective what, struct lw_sides send,
                         struct lw_sides receive) {
    const struct lw_comm* comm = begin(call, what);
    if (!comm) return;
    int sources = what.among_neighbours ? comm->sources : comm->peers;
    int destinations = what.among_neighbours ? comm->destinations : comm->peers;
    const struct lw_sides* sent = in_place(send.buffer) ? &receive : &send;
    end(call, what, comm,
        (struct fields){.root = no_root,
                        .sent = total_of(sent, destinations),
                        .received = total_of(&receive, sources),
                        .sent_list = sent,
                        .received_list = &receive,
                        .sent_peers = destinations,
                        .received_peers = sources});
}
