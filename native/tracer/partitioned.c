// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "partitioned.h"

#include "communicator.h"
#include "datatype.h"
#include "rank.h"
#include "request.h"

void lw_record_partitioned(struct lw_call* call, enum lw_class class, struct lw_message message,
                           int partitions, const MPI_Request* request) {
    lw_lock();
    const struct lw_comm* comm = call->succeeded ? lw_comm_find(message.comm) : NULL;
    if (comm) {
        uint8_t* at = lw_payload_begin(call, class, 5 * LW_VARINT_MOST_BYTES);
        if (at) {
            at = lw_put(at, comm->number);
            at = lw_put_signed(at, lw_rank(message.peer));
            at = lw_put_signed(at, lw_tag(message.tag));
            at = lw_put(at, message.count > 0 ? (uint64_t)message.count * lw_type_size(message.datatype) : 0);
            at = lw_put(at, partitions > 0 ? (uint64_t)partitions : 0);
        }
        lw_write(call, at);
        lw_request_add(*request, LW_REQUEST_PERSISTENT);
    } else {
        lw_write_local(call);
    }
    lw_unlock();
}

// Takes the lock and begins a payload of FIELDS more numbers after the request's reference. For an unknown
// request (or after an error) it records the call as a local one, releases the lock, and returns NULL.
static uint8_t* begin_partitions(struct lw_call* call, enum lw_class class, MPI_Request handle,
                                 size_t fields) {
    lw_lock();
    const struct lw_request* request = call->succeeded ? lw_request_find(handle) : NULL;
    uint8_t* at = request ? lw_payload_begin(call, class, (fields + 1) * LW_VARINT_MOST_BYTES) : NULL;
    if (at) return lw_put(at, lw_recorder.next_request - request->number);
    lw_write_local(call);
    lw_unlock();
    return NULL;
}

static void end_partitions(struct lw_call* call, uint8_t* at) {
    lw_write(call, at);
    lw_unlock();
}

void lw_record_ready(struct lw_call* call, MPI_Request request, int first, int last) {
    uint8_t* at = begin_partitions(call, LW_PREADY, request, 2);
    if (at) end_partitions(call, lw_put(lw_put(at, (uint64_t)first), (uint64_t)last));
}

void lw_record_ready_list(struct lw_call* call, MPI_Request request, int count, const int* partitions) {
    size_t listed = count > 0 ? (size_t)count : 0;
    uint8_t* at = begin_partitions(call, LW_PREADY_LIST, request, listed + 1);
    if (!at) return;
    at = lw_put(at, listed);
    for (size_t i = 0; i < listed; i++) at = lw_put(at, (uint64_t)partitions[i]);
    end_partitions(call, at);
}

void lw_record_arrived(struct lw_call* call, MPI_Request request, int partition, bool arrived) {
    uint8_t* at = begin_partitions(call, LW_PARRIVED, request, 2);
    if (!at) return;
    at = lw_put(at, (uint64_t)partition);
    *at++ = arrived;
    end_partitions(call, at);
}
