// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Records of point-to-point calls: sends, receives, probes, requests and their completion.
#ifndef LINKWORTH_POINT_TO_POINT_H
#define LINKWORTH_POINT_TO_POINT_H

#include "record.h"

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

/// LW_SEND, LW_ISEND, LW_SEND_INIT, LW_IRECV or LW_RECV_INIT; REQUEST is NULL for LW_SEND.
void lw_record_message(struct lw_call* call, enum lw_class class, struct lw_message message,
                       const MPI_Request* request);
/// A blocking receive; STATUS is a real one.
void lw_record_recv(struct lw_call* call, struct lw_message message, const MPI_Status* status);
void lw_record_sendrecv(struct lw_call* call, struct lw_message send, struct lw_message receive,
                        const MPI_Status* status);
/// MPI_Isendrecv: as an isend and an irecv that complete with the one request.
void lw_record_isendrecv(struct lw_call* call, struct lw_message send, struct lw_message receive,
                         const MPI_Request* request);

/// STATUS is a real one where FOUND. MESSAGE: where MPI_Mprobe wrote its handle, else NULL.
void lw_record_probe(struct lw_call* call, MPI_Comm comm, int source, int tag, bool found,
                     const MPI_Status* status, const MPI_Message* message);
/// MPI_Mrecv and MPI_Imrecv (with REQUEST) of the message that had the handle BEFORE.
void lw_record_matched(struct lw_call* call, MPI_Message before, MPI_Count count, MPI_Datatype datatype,
                       const MPI_Request* request);

void lw_record_start(struct lw_call* call, int count, const MPI_Request* requests);
/// MPI_Cancel and MPI_Request_free of the request that had the handle BEFORE.
void lw_record_request(struct lw_call* call, enum lw_class class, MPI_Request before);
/// The wait and test family. BEFORE: handles before the call, AFTER: after it. INDICES, COMPLETED: the
/// requests that completed; INDICES NULL means all COMPLETED == COUNT or none. STATUSES: one per completed
/// request, may be NULL where no live request is a wildcard receive.
void lw_record_complete(struct lw_call* call, enum lw_complete_mode mode, int count,
                        const MPI_Request* before, const MPI_Request* after, int completed,
                        const int* indices, const MPI_Status* statuses);

/// Copy of the handles, in a buffer of the thread that lives until its next call.
const MPI_Request* lw_copy_requests(int count, const MPI_Request* requests);
/// The program's array, or one of the thread where the program ignores statuses that the record needs.
MPI_Status* lw_real_statuses(int count, MPI_Status* statuses);

static inline MPI_Status* lw_real_status(MPI_Status* status, MPI_Status* own) {
    if (status != MPI_STATUS_IGNORE) return status;
    memset(own, 0, sizeof *own);
    return own;
}

#pragma GCC visibility pop
#endif
