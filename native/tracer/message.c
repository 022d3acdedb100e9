// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "communicator.h"
#include "datatype.h"
#include "point_to_point.h"
#include "rank.h"
#include "request.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MOST_BYTES = 6 * LW_VARINT_MOST_BYTES };

static uint64_t message_bytes(MPI_Count count, MPI_Datatype datatype) {
    return count > 0 ? (uint64_t)count * lw_type_size(datatype) : 0;
}

static uint8_t* put_message(uint8_t* at, struct lw_message message) {
    at = lw_put_signed(at, lw_rank(message.peer));
    at = lw_put_signed(at, lw_tag(message.tag));
    return lw_put(at, message_bytes(message.count, message.datatype));
}

static uint8_t* put_actual(uint8_t* at, const MPI_Status* status) {
    at = lw_put_signed(at, lw_rank(status->MPI_SOURCE));
    return lw_put_signed(at, lw_tag(status->MPI_TAG));
}

static void write_message(struct lw_call* call, enum lw_class class, uint32_t comm,
                          struct lw_message message) {
    uint8_t* at = lw_payload_begin(call, class, MESSAGE_MOST_BYTES);
    lw_write(call, at ? put_message(lw_put(at, comm), message) : NULL);
}

static bool repeats_message(struct lw_call* call, enum lw_class class, struct lw_message message,
                            const MPI_Request* request) {
    struct lw_key key = lw_message_key(message, 0);
    if (!request) return lw_repeats(call, key);
    lw_lock_in_order(call);
    bool repeated = lw_repeats(call, key);
    if (repeated) lw_request_add(*request, lw_request_flags(class, message));
    lw_unlock_after(call);
    return repeated;
}

void lw_encode_message(struct lw_call* call, enum lw_class class, struct lw_message message,
                       const MPI_Request* request) {
    if (repeats_message(call, class, message, request)) return;
    lw_lock();
    const struct lw_comm* comm = lw_comm_find(message.comm);
    if (comm && call->succeeded) {
        write_message(call, class, comm->number, message);
        if (request) lw_request_add(*request, lw_request_flags(class, message));
    } else {
        lw_write_local(call);
    }
    lw_unlock();
}

void lw_encode_recv(struct lw_call* call, struct lw_message message, const MPI_Status* status) {
    uint64_t matched = lw_is_wildcard(message) ? lw_matched(status) : 0;
    if (lw_repeats(call, lw_message_key(message, matched))) return;
    lw_lock();
    const struct lw_comm* comm = lw_comm_find(message.comm);
    if (comm && call->succeeded) {
        uint8_t* at = lw_payload_begin(call, LW_RECV, MESSAGE_MOST_BYTES);
        if (at) {
            at = put_message(lw_put(at, comm->number), message);
            if (lw_is_wildcard(message)) at = put_actual(at, status);
        }
        lw_write(call, at);
    } else {
        lw_write_local(call);
    }
    lw_unlock();
}

void lw_encode_sendrecv(struct lw_call* call, struct lw_message send, struct lw_message receive,
                        const MPI_Status* status) {
    if (lw_sendrecv_has_key(send, receive) && lw_repeats(call, lw_sendrecv_key(send, receive))) return;
    lw_lock();
    const struct lw_comm* comm = lw_comm_find(send.comm);
    if (comm && call->succeeded) {
        uint8_t* at = lw_payload_begin(call, LW_SENDRECV, 2 * MESSAGE_MOST_BYTES);
        if (at) {
            at = put_message(lw_put(at, comm->number), send);
            at = put_message(at, receive);
            if (lw_is_wildcard(receive)) at = put_actual(at, status);
        }
        lw_write(call, at);
    } else {
        lw_write_local(call);
    }
    lw_unlock();
}

void lw_record_isendrecv(struct lw_call* call, struct lw_message send, struct lw_message receive,
                         const MPI_Request* request) {
    lw_lock();
    const struct lw_comm* comm = lw_comm_find(send.comm);
    if (comm && call->succeeded) {
        uint8_t* at = lw_payload_begin(call, LW_ISENDRECV, 2 * MESSAGE_MOST_BYTES);
        lw_write(call, at ? put_message(put_message(lw_put(at, comm->number), send), receive) : NULL);
#ifdef OPEN_MPI
        lw_request_add(*request, lw_request_flags(LW_IRECV, receive));
#else
        // The status that MPICH (4.0.2, 5.0.2) gives names neither source nor tag.
        lw_request_add(*request, 0);
#endif
    } else {
        lw_write_local(call);
    }
    lw_unlock();
}

// Messages between MPI_Mprobe and MPI_Mrecv: rarely more than one at a time.
static struct lw_probed* probed;
static size_t probed_count, probed_capacity;

static void keep_probed(struct lw_probed message) {
    if (probed_count == probed_capacity) {
        size_t larger = probed_capacity ? 2 * probed_capacity : 16;
        struct lw_probed* fresh = realloc(probed, larger * sizeof *fresh);
        if (!fresh) return;
        probed = fresh;
        probed_capacity = larger;
    }
    probed[probed_count++] = message;
}

struct lw_probed lw_take_probed(MPI_Message handle) {
    struct lw_probed message = {.known = false};
    lw_lock();
    for (size_t i = probed_count; !message.known && i-- > 0;)
        if (probed[i].handle == handle) {
            message = probed[i];
            probed[i] = probed[--probed_count];
        }
    lw_unlock();
    return message;
}

void lw_encode_probe(struct lw_call* call, MPI_Comm comm_handle, int source, int tag, bool found,
                     const MPI_Status* status, const MPI_Message* message) {
    struct lw_key key = lw_probe_key(comm_handle, source, tag, found, found ? lw_matched(status) : 0);
    if (!(found && message) && lw_repeats(call, key)) return;
    lw_lock();
    const struct lw_comm* comm = lw_comm_find(comm_handle);
    if (comm && call->succeeded) {
        uint8_t* at = lw_payload_begin(call, LW_PROBE, MESSAGE_MOST_BYTES);
        if (at) {
            at = lw_put(at, comm->number);
            at = lw_put_signed(at, lw_rank(source));
            at = lw_put_signed(at, lw_tag(tag));
            *at++ = found;
            if (found) at = put_actual(at, status);
        }
        lw_write(call, at);
        if (found && message)
            keep_probed((struct lw_probed){*message, true, comm->number, lw_rank(status->MPI_SOURCE),
                                           lw_tag(status->MPI_TAG)});
    } else {
        lw_write_local(call);
    }
    lw_unlock();
}

void lw_record_found(struct lw_call* call, bool found, const MPI_Status* status) {
    const uint64_t* words = call->foreseen->words;
    lw_encode_probe(call, (MPI_Comm)(uintptr_t)words[0], (int32_t)(words[1] >> 32), (int32_t)words[1], found,
                    status, NULL);
}

void lw_record_matched(struct lw_call* call, struct lw_probed message, MPI_Count count, MPI_Datatype datatype,
                       const MPI_Request* request) {
    lw_lock();
    if (message.known && call->succeeded) {
        uint8_t* at = lw_payload_begin(call, request ? LW_IRECV : LW_RECV, MESSAGE_MOST_BYTES);
        if (at) {
            at = lw_put(at, message.comm);
            at = lw_put_signed(at, message.source);
            at = lw_put_signed(at, message.tag);
            at = lw_put(at, message_bytes(count, datatype));
            // A message from MPI_PROC_NULL has no tag: it is written as a wildcard, followed by the actual
            // values.
            if (!request && message.tag == LW_ANY)
                at = lw_put_signed(lw_put_signed(at, message.source), message.tag);
        }
        lw_write(call, at);
        if (request) lw_request_add(*request, 0);
    } else {
        lw_write_local(call);
    }
    lw_unlock();
}
