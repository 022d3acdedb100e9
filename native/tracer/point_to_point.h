// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Records of point-to-point calls: sends, receives, probes, requests and their completion.
#ifndef LINKWORTH_POINT_TO_POINT_H
#define LINKWORTH_POINT_TO_POINT_H

#include "datatype.h"
#include "repeat.h"
#include "request.h"

#include <string.h>

#pragma GCC visibility push(hidden)

enum lw_complete_mode {
    LW_WAIT,
    LW_WAITALL,
    LW_WAITANY,
    LW_WAITSOME,
    LW_TEST,
    LW_TESTALL,
    LW_TESTANY,
    LW_TESTSOME,
};

/// One side of a message, as the program gave it.
struct lw_message {
    MPI_Comm comm;
    int peer, tag;
    MPI_Count count;
    MPI_Datatype datatype;
};

/// Record calls that did not come as foreseen (repeat.h). Otherwise the same as the functions lw_record_...
/// below.
void lw_encode_message(struct lw_call* call, enum lw_class class, struct lw_message message,
                       const MPI_Request* request);
void lw_encode_recv(struct lw_call* call, struct lw_message message, const MPI_Status* status);
void lw_encode_sendrecv(struct lw_call* call, struct lw_message send, struct lw_message receive,
                        const MPI_Status* status);
void lw_encode_probe(struct lw_call* call, MPI_Comm comm, int source, int tag, bool found,
                     const MPI_Status* status, const MPI_Message* message);
void lw_encode_complete(struct lw_call* call, enum lw_complete_mode mode, int count,
                        const MPI_Request* before, const MPI_Request* after, int completed,
                        const int* indices, const MPI_Status* statuses);
/// Records the wait or test of one request that is nothing but pending. Returns false if it is another one.
bool lw_record_plain_completion(struct lw_call* call, MPI_Request before, bool completed);

void lw_record_isendrecv(struct lw_call* call, struct lw_message send, struct lw_message receive,
                         const MPI_Request* request);

/// A message between MPI_Mprobe and MPI_Mrecv.
struct lw_probed {
    MPI_Message handle;
    bool known;
    uint32_t comm;
    int source, tag;
};
/// Before MPI_Mrecv and MPI_Imrecv: the library may give the handle to another thread's message before the
/// call is recorded.
struct lw_probed lw_take_probed(MPI_Message handle);
/// MPI_Mrecv and MPI_Imrecv (with REQUEST) of MESSAGE.
void lw_record_matched(struct lw_call* call, struct lw_probed message, MPI_Count count, MPI_Datatype datatype,
                       const MPI_Request* request);

/// MPI_Start and MPI_Startall of requests with the handles BEFORE the call and AFTER it.
void lw_record_start(struct lw_call* call, int count, const MPI_Request* before, const MPI_Request* after);
/// MPI_Cancel and MPI_Request_free of the request that had the handle BEFORE.
void lw_record_request(struct lw_call* call, enum lw_class class, MPI_Request before);
/// Copy of the handles, in a buffer of the thread that lives until its next call.
const MPI_Request* lw_copy_requests(int count, const MPI_Request* requests);
/// Frees the calling thread's buffers, as it ends.
void lw_buffers_end_thread(void);
/// Returns the program's array, or one of the thread if the program ignores statuses that the record needs.
MPI_Status* lw_real_statuses(int count, MPI_Status* statuses);

LW_INLINE MPI_Status* lw_real_status(MPI_Status* status, MPI_Status* own) {
    if (status != MPI_STATUS_IGNORE) return status;
    memset(own, 0, sizeof *own);
    return own;
}

/// A message again, for a function that is not inlined (see lw_copy_key).
LW_INLINE struct lw_message lw_copy_message(struct lw_message message) {
    return (struct lw_message){message.comm, message.peer, message.tag, message.count, message.datatype};
}

LW_INLINE bool lw_is_wildcard(struct lw_message message) {
    return message.peer == MPI_ANY_SOURCE || message.tag == MPI_ANY_TAG;
}

LW_INLINE uint32_t lw_receive_flags(int source, int tag) {
    if (source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG) return 0;
    return LW_REQUEST_WILDCARD | (source == MPI_PROC_NULL ? LW_REQUEST_FROM_NOBODY : 0u);
}

LW_INLINE uint32_t lw_request_flags(enum lw_class class, struct lw_message message) {
    bool receive = class == LW_IRECV || class == LW_RECV_INIT;
    bool persistent = class == LW_SEND_INIT || class == LW_RECV_INIT;
    return (receive ? lw_receive_flags(message.peer, message.tag) : 0u) |
           (persistent ? LW_REQUEST_PERSISTENT : 0u);
}

LW_INLINE uint64_t lw_matched(const MPI_Status* status) {
    return lw_pair(status->MPI_SOURCE, status->MPI_TAG);
}

/// MATCHED: source and tag of the message if a receive has wildcards, else 0.
LW_INLINE struct lw_key lw_message_key(struct lw_message message, uint64_t matched) {
    return (struct lw_key){{(uint64_t)(uintptr_t)message.comm, (uint64_t)(uintptr_t)message.datatype,
                            (uint64_t)message.count, lw_pair(message.peer, message.tag), matched}};
}

/// Call it ahead of the real function; see lw_foresee.
LW_INLINE struct lw_repeat* lw_foresee_message(const struct lw_call* call, struct lw_message message) {
    return lw_foresee(call, lw_message_key(message, 0), LW_KEY_FIRST_FOUR);
}

LW_INLINE struct lw_repeat* lw_foresee_recv(const struct lw_call* call, struct lw_message message) {
    return lw_is_wildcard(message) ? NULL : lw_foresee_message(call, message);
}

/// Flags of the request of a foreseen MPI_Irecv: its source and tag are among the compared arguments.
LW_INLINE uint32_t lw_foreseen_irecv_flags(const struct lw_call* call) {
    uint64_t source_and_tag = call->foreseen->words[3];
    return lw_receive_flags((int32_t)(source_and_tag >> 32), (int32_t)source_and_tag);
}

/// CLASS is LW_SEND, LW_ISEND, LW_SEND_INIT, LW_IRECV or LW_RECV_INIT. REQUEST is NULL for LW_SEND. The name
/// of the call determines its class.
LW_INLINE void lw_record_message(struct lw_call* call, enum lw_class class, struct lw_message message,
                                 const MPI_Request* request) {
    if (lw_profiles_alone(call) && class != LW_SEND_INIT) {
        bool sends = class == LW_SEND || class == LW_ISEND;
        lw_add_up(call, sends && call->succeeded ? lw_known_bytes(message.count, message.datatype) : 0);
        return;
    }
    lw_encode_message(LW_COPY(call), class, lw_copy_message(message), request);
}

/// Records a blocking receive. STATUS is a real one if the source or tag is a wildcard.
LW_INLINE void lw_record_recv(struct lw_call* call, struct lw_message message, const MPI_Status* status) {
    if (lw_only_added_up(call)) return;
    lw_encode_recv(LW_COPY(call), lw_copy_message(message), status);
}

/// Returns whether the call fits into a key. If not, it is encoded each time.
LW_INLINE bool lw_sendrecv_has_key(struct lw_message send, struct lw_message receive) {
    return send.datatype == receive.datatype && send.count == (int32_t)send.count &&
           receive.count == (int32_t)receive.count && !lw_is_wildcard(receive);
}

LW_INLINE struct lw_key lw_sendrecv_key(struct lw_message send, struct lw_message receive) {
    return (struct lw_key){{(uint64_t)(uintptr_t)send.comm, (uint64_t)(uintptr_t)send.datatype,
                            lw_pair((int32_t)send.count, (int32_t)receive.count),
                            lw_pair(send.peer, send.tag), lw_pair(receive.peer, receive.tag)}};
}

LW_INLINE struct lw_repeat* lw_foresee_sendrecv(const struct lw_call* call, struct lw_message send,
                                                struct lw_message receive) {
    if (!lw_sendrecv_has_key(send, receive)) return NULL;
    return lw_foresee(call, lw_sendrecv_key(send, receive), LW_KEY_FIRST_FOUR);
}

/// STATUS as for lw_record_recv.
LW_INLINE void lw_record_sendrecv(struct lw_call* call, struct lw_message send, struct lw_message receive,
                                  const MPI_Status* status) {
    lw_encode_sendrecv(LW_COPY(call), lw_copy_message(send), lw_copy_message(receive), status);
}

/// MATCHED: what was found, else 0.
LW_INLINE struct lw_key lw_probe_key(MPI_Comm comm, int source, int tag, bool found, uint64_t matched) {
    return (struct lw_key){{(uint64_t)(uintptr_t)comm, lw_pair(source, tag), found, matched, 0}};
}

/// Nothing is found most of the time.
LW_INLINE struct lw_repeat* lw_foresee_probe(const struct lw_call* call, MPI_Comm comm, int source, int tag) {
    return lw_foresee(call, lw_probe_key(comm, source, tag, false, 0), LW_KEY_FIRST_THREE);
}

/// Records a foreseen probe that did find a message, or failed. STATUS is a real one.
void lw_record_found(struct lw_call* call, bool found, const MPI_Status* status);

/// STATUS is a real one if FOUND. MESSAGE: where MPI_Mprobe wrote its handle, else NULL.
LW_INLINE void lw_record_probe(struct lw_call* call, MPI_Comm comm, int source, int tag, bool found,
                               const MPI_Status* status, const MPI_Message* message) {
    if (lw_only_added_up(call)) return;
    lw_encode_probe(LW_COPY(call), comm, source, tag, found, status, message);
}

/// Key for a request whose number lies DISTANCE back.
LW_INLINE struct lw_key lw_completion_key(uint64_t distance, bool completed) {
    return (struct lw_key){{completed ? distance : 1, 0, 0, 0, lw_pair(1, completed)}};
}

/// Call it ahead of a wait or a test for one request. For a test, COMPLETED is false, because it is repeated
/// until it succeeds.
LW_INLINE struct lw_repeat* lw_foresee_completion(struct lw_call* call, MPI_Request handle, bool completed) {
    call->few = lw_find_among_few(handle);
    if (__builtin_expect(call->few == lw_few.count, 0)) return NULL;
    uint64_t distance = lw_recorder.next_request - lw_few.numbers[call->few];
    return lw_foresee(call, lw_completion_key(distance, completed), LW_KEY_FIRST);
}

/// Records a foreseen wait that failed, or test that completed or failed.
void lw_record_unforeseen_completion(struct lw_call* call, enum lw_complete_mode mode, MPI_Request before,
                                     const MPI_Request* after, bool completed);

/// Before the real function of the wait and test family, and of MPI_Request_free; see lw_requests_claim.
LW_INLINE void lw_claim_requests(const struct lw_call* call, int count, const MPI_Request* handles,
                                 bool frees) {
    if (__builtin_expect(lw_recorder.locked, 0) && call->recording && handles)
        lw_requests_claim(count, handles, frees);
}

/// Records the wait and test family. BEFORE: handles before the call, AFTER: after it. INDICES, COMPLETED:
/// the requests that completed; INDICES NULL means all COMPLETED == COUNT or none. STATUSES: one per
/// completed request, may be NULL if no live request is a wildcard receive.
LW_INLINE void lw_record_complete(struct lw_call* call, enum lw_complete_mode mode, int count,
                                  const MPI_Request* before, const MPI_Request* after, int completed,
                                  const int* indices, const MPI_Status* statuses) {
    if (lw_only_added_up(call)) return;
    if (!(count == 1 && !indices && before && lw_record_plain_completion(LW_COPY(call), *before, completed)))
        lw_encode_complete(LW_COPY(call), mode, count, before, after, completed, indices, statuses);
    if (!call->alone && __builtin_expect(lw_recorder.locked, 0) && before)
        lw_requests_give_back(count, before);
}

#pragma GCC visibility pop
#endif
