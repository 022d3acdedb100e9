// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Waiting that releases the core. With more ranks than cores, a library that spins delays the rank for which
/// it waits.
#ifndef LINKWORTH_YIELD_H
#define LINKWORTH_YIELD_H

#include "mpi_library.h"

#pragma GCC visibility push(hidden)

/// Equivalents of the blocking functions of the same names, which test and yield.
int lw_yield_wait(MPI_Request* request, MPI_Status* status);
int lw_yield_waitall(int count, MPI_Request* requests, MPI_Status* statuses);
int lw_yield_waitany(int count, MPI_Request* requests, int* index, MPI_Status* status);
int lw_yield_waitsome(int count, MPI_Request* requests, int* completed, int* indices, MPI_Status* statuses);
int lw_yield_probe(int source, int tag, MPI_Comm comm, MPI_Status* status);
int lw_yield_mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status);
/// Handles what lw_yield_may_pack allows, with a process as the source: otherwise MPICH 4.0 returns a wrong
/// status.
int lw_yield_sendrecv_replace(void* buffer, int count, MPI_Datatype datatype, int dest, int send_tag,
                              int source, int receive_tag, MPI_Comm comm, MPI_Status* status);
/// Returns whether the data fits one packed message, whose size is an int.
bool lw_yield_may_pack(int count, MPI_Datatype datatype);
/// A barrier before a collective that has no non-blocking form, so that ranks spin only shortly in it.
void lw_yield_barrier(MPI_Comm comm);
/// Returns whether WISH is true on any rank of MPI_COMM_WORLD. Collective.
bool lw_yield_any(bool wish);
/// Lets the library complete what its connections still exchange, once all ranks are here.
void lw_yield_settle(void);
/// Returns whether a collective must be the blocking one: COMM is an inter-communicator, or includes spawned
/// processes. First waits by yielding, if all processes there do.
bool lw_yield_spins(MPI_Comm comm);

/// Completes what a non-blocking call with the answer RESULT has begun.
static inline int lw_yield_finish(int result, MPI_Request* request, MPI_Status* status) {
    return result == MPI_SUCCESS ? lw_yield_wait(request, status) : result;
}

/// Completes the non-blocking CALL, whose request is lw_request.
#define LW_FINISH(call, status)                     \
    ({                                              \
        MPI_Request lw_request;                     \
        lw_yield_finish(call, &lw_request, status); \
    })

#pragma GCC visibility pop
#endif
