// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "communicator.h"
#include "point_to_point.h"
#include "rank.h"
#include "repeat.h"
#include "request.h"

#include <stdlib.h>
#include <string.h>

// Buffers of a thread that only grow: a call on many requests allocates once.
struct buffer {
    void* memory;
    size_t bytes;
};
static __thread struct buffer copied_requests __attribute__((tls_model("initial-exec")));
static __thread struct buffer own_statuses __attribute__((tls_model("initial-exec")));

static void* at_least(struct buffer* buffer, size_t bytes) {
    if (buffer->bytes < bytes) {
        size_t larger = bytes < 4096 ? 4096 : 2 * bytes;
        void* memory = malloc(larger);
        if (!memory) return NULL;
        free(buffer->memory);
        *buffer = (struct buffer){memory, larger};
    }
    return buffer->memory;
}

static void free_buffer(struct buffer* buffer) {
    free(buffer->memory);
    *buffer = (struct buffer){NULL, 0};
}

void lw_buffers_end_thread(void) {
    free_buffer(&copied_requests);
    free_buffer(&own_statuses);
}

const MPI_Request* lw_copy_requests(int count, const MPI_Request* requests) {
    if (count <= 0) return requests;
    MPI_Request* copy = at_least(&copied_requests, (size_t)count * sizeof *copy);
    if (copy) memcpy(copy, requests, (size_t)count * sizeof *copy);
    return copy;
}

MPI_Status* lw_real_statuses(int count, MPI_Status* statuses) {
    if (statuses != MPI_STATUSES_IGNORE || count <= 0 || !lw_requests_have_wildcards()) return statuses;
    MPI_Status* own = at_least(&own_statuses, (size_t)count * sizeof *own);
    if (!own) return statuses;
    memset(own, 0, (size_t)count * sizeof *own);
    return own;
}

static uint64_t reference(const struct lw_request* request) {
    return lw_recorder.next_request - request->number;
}

void lw_record_start(struct lw_call* call, int count, const MPI_Request* before, const MPI_Request* after) {
    if (!before) count = 0;  // no memory to copy them
    lw_lock();
    uint8_t* at =
        call->succeeded ? lw_payload_begin(call, LW_START, ((size_t)count + 1) * LW_VARINT_MOST_BYTES) : NULL;
    if (at) {
        uint64_t known = 0;
        for (int i = 0; i < count; i++) known += lw_request_find(before[i]) != NULL;
        at = lw_put(at, known);
        for (int i = 0; i < count; i++) {
            struct lw_request* request = lw_request_find(before[i]);
            if (request) {
                request->flags |= LW_REQUEST_ACTIVE;
                if (lw_recorder.profiling) lw_tally_bytes(call->self->tallies, call->name, request->bytes);
                at = lw_put(at, reference(request));
                if (after[i] != before[i]) lw_request_rename(before[i], after[i]);
            }
        }
        lw_write(call, at);
    } else {
        lw_write_local(call);
    }
    lw_unlock();
}

void lw_record_request(struct lw_call* call, enum lw_class class, MPI_Request before) {
    lw_lock();
    struct lw_request* request = call->succeeded ? lw_request_find(before) : NULL;
    if (request) {
        if (class == LW_REQUEST_CANCEL) request->flags |= LW_REQUEST_CANCEL_TRIED;
        uint8_t* at = lw_payload_begin(call, class, LW_VARINT_MOST_BYTES);
        lw_write(call, at ? lw_put(at, reference(request)) : NULL);
        if (class == LW_REQUEST_FREE) lw_request_remove(before);
    } else {
        lw_write_local(call);
    }
    lw_unlock();
    if (!call->succeeded) lw_requests_give_back(1, &before);
}

static uint64_t count_live(int count, const MPI_Request* requests) {
    uint64_t live = 0;
    for (int i = 0; i < count; i++) {
        const struct lw_request* request = lw_request_find(requests[i]);
        live += request && lw_request_is_live(request);
    }
    return live;
}

// Requests of calls that are not modelled: messages of a spawned process, generalised requests, files.
static bool only_unknown(int count, const MPI_Request* requests) {
    int unknown = 0;
    for (int i = 0; i < count; i++) {
        if (requests[i] == lw_mpi.request_null) continue;
        if (lw_request_find(requests[i])) return false;
        unknown++;
    }
    return unknown > 0;
}

// MPICH (4.0.2) leaves what an earlier call wrote in the status of a receive that was cancelled, or that is
// from nobody.
static uint8_t* put_actual_source(uint8_t* at, const struct lw_request* request, const MPI_Status* status) {
    int cancelled = 0;
    if (request->flags & LW_REQUEST_CANCEL_TRIED) lw_mpi.test_cancelled(status, &cancelled);
    bool from_nobody = request->flags & LW_REQUEST_FROM_NOBODY;
    if (cancelled || from_nobody)
        return lw_put_signed(lw_put_signed(at, cancelled ? LW_ANY : LW_NOBODY), LW_ANY);
    return lw_put_signed(lw_put_signed(at, lw_rank(status->MPI_SOURCE)), lw_tag(status->MPI_TAG));
}

static uint8_t* put_completed(uint8_t* at, const struct lw_request* request, const MPI_Status* status) {
    bool actual = (request->flags & LW_REQUEST_WILDCARD) && status;
    at = lw_put(at, 2 * reference(request) + actual);
    return actual ? put_actual_source(at, request, status) : at;
}

// Writes one completed request, and forgets it unless it is persistent. Returns false if there is none.
static bool complete_handle(uint8_t** at, MPI_Request handle, const MPI_Status* status) {
    struct lw_request* request = lw_request_find(handle);
    if (!request || !lw_request_is_live(request)) return false;
    *at = put_completed(*at, request, status);
    if (request->flags & LW_REQUEST_PERSISTENT) {
        request->flags &= ~(uint32_t)(LW_REQUEST_ACTIVE | LW_REQUEST_CANCEL_TRIED);
        return true;
    }
    lw_request_remove(handle);
    return true;
}

// After an error in a status, the requests that became null are complete, and persistent ones are taken to
// be.
static bool completed_despite_error(const MPI_Request* before, const MPI_Request* after) {
    const struct lw_request* request = lw_request_find(*before);
    return request && (*after == lw_mpi.request_null || (request->flags & LW_REQUEST_PERSISTENT));
}

// Handles one request that is nothing but pending: the key is its reference.
static bool repeats_plain_one(struct lw_call* call, MPI_Request before, bool completed) {
    const struct lw_request* request = lw_request_find(before);
    if (!request || request->flags) return false;
    if (!lw_repeats(call, lw_completion_key(reference(request), completed))) return false;
    if (completed) lw_request_remove(before);
    return true;
}

// Number of earlier places in the list with the same handle, which stand for older requests.
static uint32_t earlier_places(const MPI_Request* handles, int place) {
    uint32_t earlier = 0;
    for (int i = 0; i < place; i++) earlier += handles[i] == handles[place];
    return earlier;
}

// Handles all of few requests, or none, that are neither wildcard receives nor persistent nor otherwise
// special. The key is their references, of 16 bits each if there are several.
static bool repeats_plain(struct lw_call* call, int count, const MPI_Request* before, int completed) {
    enum { IN_WORD = 4, MOST = IN_WORD * (LW_REPEAT_WORDS - 1) };
    if (count == 1) return repeats_plain_one(call, *before, completed);
    if (count < 1 || count > MOST) return false;
    struct lw_key key = {{0}};
    for (int i = 0; i < count; i++) {
        const struct lw_request* request = lw_request_find_nth(before[i], earlier_places(before, i));
        if (!request || request->flags) return false;
        uint64_t distance = completed ? reference(request) : 1;
        if (distance > UINT16_MAX) return false;
        key.words[i / IN_WORD] |= distance << 16 * (i % IN_WORD);
    }
    key.words[LW_REPEAT_WORDS - 1] = lw_pair(count, completed);
    if (!lw_repeats(call, key)) return false;
    if (completed)
        for (int i = 0; i < count; i++) lw_request_remove(before[i]);
    return true;
}

bool lw_record_plain_completion(struct lw_call* call, MPI_Request before, bool completed) {
    lw_lock_in_order(call);
    bool plain = repeats_plain_one(call, before, completed);
    lw_unlock();
    return plain;
}

void lw_record_unforeseen_completion(struct lw_call* call, enum lw_complete_mode mode, MPI_Request before,
                                     const MPI_Request* after, bool completed) {
    if (!lw_record_plain_completion(call, before, completed))
        lw_encode_complete(call, mode, 1, &before, after, completed, NULL, MPI_STATUSES_IGNORE);
}

void lw_encode_complete(struct lw_call* call, enum lw_complete_mode mode, int count,
                        const MPI_Request* before, const MPI_Request* after, int completed,
                        const int* indices, const MPI_Status* statuses) {
    if (!before || count < 0 || completed < 0) count = completed = 0;
    if (completed > count) completed = 0;  // an outcount that an erroneous call left unset
    // The list of completed requests, behind room for the payload's head; its length comes before it.
    enum { HEAD = 2 * LW_VARINT_MOST_BYTES + 1 };
    lw_lock_in_order(call);
    // Other threads may have made and completed requests since the wrapper looked: references have changed.
    call->repeat = NULL;
    if (!indices && (completed == count || !completed) && repeats_plain(call, count, before, completed)) {
        lw_unlock();
        return;
    }
    if (only_unknown(count, before)) {
        lw_write_local(call);
        lw_unlock();
        return;
    }
    uint64_t live = count_live(count, before);
    size_t most = HEAD + 3 * (size_t)LW_VARINT_MOST_BYTES * ((size_t)count + 1);
    uint8_t* head = lw_payload_begin(call, LW_COMPLETE, 2 * most);
    if (!head) {
        lw_write(call, NULL);
        lw_unlock();
        return;
    }
    uint8_t *list = head + most, *end = list;
    uint64_t done = 0;
    bool failed = !call->succeeded;
    for (int i = 0; i < (failed && !indices ? count : completed); i++) {
        int index = indices ? indices[i] : i;
        if (index < 0 || index >= count) continue;  // an index that an erroneous call left unset
        if (failed && !completed_despite_error(&before[index], &after[index])) continue;
        done += complete_handle(&end, before[index], statuses == MPI_STATUSES_IGNORE ? NULL : &statuses[i]);
    }
    uint8_t* at = head;
    *at++ = (uint8_t)mode;
    at = lw_put(at, live);
    at = lw_put(at, done);
    memmove(at, list, (size_t)(end - list));
    lw_write(call, at + (end - list));
    lw_unlock();
}
