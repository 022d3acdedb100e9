// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "yield.h"

#include "clock.h"
#include "communicator.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

// Turns that only yield the core. A message between ranks that share cores mostly arrives within them.
enum { kYields = 30 };
// A yield that takes longer has given another program or rank a time slice.
static const uint64_t kSliceNanoseconds = 500000;
// Cores count as shared for this time after a lost slice.
static const uint64_t kSharedNanoseconds = 100000000;
static const uint64_t kSettleNanoseconds = 100000000;
static const struct timespec kPause = {.tv_nsec = 20000};

// The moment at which a yield last cost a time slice. 0, the start of the machine, stands for none.
static _Atomic uint64_t lost_slice_at;

// Gives the core away for a turn of waiting. Where others compute on the cores, later turns sleep: each yield
// costs a time slice of theirs, and a rank that slept goes before them. Elsewhere a sleep would only add its
// late end, 50 to 150 us, to the arrival of a message.
static void give_way(int* turns) {
    uint64_t now = lw_clock_read(CLOCK_MONOTONIC);
    if (++*turns > kYields && now - lost_slice_at < kSharedNanoseconds) {
        nanosleep(&kPause, NULL);
        return;
    }
    sched_yield();
    uint64_t after = lw_clock_read(CLOCK_MONOTONIC);
    if (after - now > kSliceNanoseconds) lost_slice_at = after;
}

int lw_yield_wait(MPI_Request* request, MPI_Status* status) {
    for (int turns = 0;;) {
        int done = 0;
        int result = lw_mpi.test(request, &done, status);
        if (done || result != MPI_SUCCESS) return result;
        give_way(&turns);
    }
}

// Waits one by one, because MPICH (4.0.2, 5.0.2) has no MPI_Testall of persistent collectives. Requests after
// a failed one may depend on it, so they are not waited for.
int lw_yield_waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
    bool ignored = statuses == MPI_STATUSES_IGNORE;
    for (int i = 0; i < count; i++) {
        int result = lw_yield_wait(&requests[i], ignored ? MPI_STATUS_IGNORE : &statuses[i]);
        if (result == MPI_SUCCESS) continue;
        for (int j = 0; !ignored && j < count; j++)
            statuses[j].MPI_ERROR = j < i ? MPI_SUCCESS : j > i ? MPI_ERR_PENDING : result;
        return MPI_ERR_IN_STATUS;
    }
    return MPI_SUCCESS;
}

int lw_yield_waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
    for (int turns = 0;;) {
        int done = 0;
        int result = lw_mpi.testany(count, requests, index, &done, status);
        if (done || result != MPI_SUCCESS) return result;
        give_way(&turns);
    }
}

int lw_yield_waitsome(int count, MPI_Request* requests, int* completed, int* indices, MPI_Status* statuses) {
    for (int turns = 0;;) {
        int result = lw_mpi.testsome(count, requests, completed, indices, statuses);
        // If no request is active, this is MPI_UNDEFINED, which is not 0.
        if (result != MPI_SUCCESS || *completed != 0) return result;
        give_way(&turns);
    }
}

int lw_yield_probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
    for (int turns = 0;;) {
        int found = 0;
        int result = lw_mpi.iprobe(source, tag, comm, &found, status);
        if (found || result != MPI_SUCCESS) return result;
        give_way(&turns);
    }
}

int lw_yield_mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    for (int turns = 0;;) {
        int found = 0;
        int result = lw_mpi.improbe(source, tag, comm, &found, message, status);
        if (found || result != MPI_SUCCESS) return result;
        give_way(&turns);
    }
}

bool lw_yield_may_pack(int count, MPI_Datatype datatype) {
    MPI_Count size = 0;
    lw_mpi.type_size_x(datatype, &size);
    return size >= 0 && (count <= 0 || size <= INT_MAX / 2 / count);
}

// The outgoing data is packed first: the buffer is then free to receive into.
int lw_yield_sendrecv_replace(void* buffer, int count, MPI_Datatype datatype, int dest, int send_tag,
                              int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
    int size = 0, position = 0;
    MPI_Request requests[2];
    int result = lw_mpi.pack_size(count, datatype, comm, &size);
    if (result != MPI_SUCCESS) return result;
    void* packed = malloc(size > 0 ? (size_t)size : 1);
    if (!packed) return MPI_ERR_NO_MEM;
    result = lw_mpi.pack(buffer, count, datatype, packed, size, &position, comm);
    if (result == MPI_SUCCESS)
        result = lw_mpi.irecv(buffer, count, datatype, source, receive_tag, comm, &requests[0]);
    if (result == MPI_SUCCESS)
        result = lw_mpi.isend(packed, position, lw_mpi.packed, dest, send_tag, comm, &requests[1]);
    result = lw_yield_finish(result, &requests[1], MPI_STATUS_IGNORE);
    result = lw_yield_finish(result, &requests[0], status);
    free(packed);
    return result;
}

static bool is_inter(MPI_Comm comm) {
    int inter = 0;
    lw_mpi.comm_test_inter(comm, &inter);
    return inter;
}

static bool in_world(MPI_Comm comm, int (*group_of)(MPI_Comm, MPI_Group*)) {
    MPI_Group group;
    if (group_of(comm, &group) != MPI_SUCCESS) return false;
    int size;
    int* ranks = lw_ranks_of(group, lw_world_group, &size);
    lw_mpi.group_free(&group);
    bool all = ranks != NULL;
    free(ranks);
    return all;
}

// Returns whether all processes of COMM yield as this one does. Spawned ones may not: MPICH starts them
// without the tracer.
static bool all_yield(MPI_Comm comm) {
    if (comm == lw_mpi.world) return true;
    if (comm == lw_mpi.comm_null || !in_world(comm, lw_mpi.comm_group)) return false;
    return !is_inter(comm) || in_world(comm, lw_mpi.comm_remote_group);
}

static void wait_for_all(MPI_Comm comm) { LW_FINISH(lw_mpi.ibarrier(comm, &lw_request), MPI_STATUS_IGNORE); }

void lw_yield_barrier(MPI_Comm comm) {
    if (all_yield(comm)) wait_for_all(comm);
}

bool lw_yield_any(bool wish) {
    int any = wish;
    LW_FINISH(lw_mpi.iallreduce(MPI_IN_PLACE, &any, 1, lw_mpi.integer, lw_mpi.max, lw_mpi.world, &lw_request),
              MPI_STATUS_IGNORE);
    return any;
}

// An empty message each way between all pairs of ranks. A rank may wait for ever to close a connection that
// carried messages one way only. The communicator keeps them from receives that the program left open.
static void exchange_with_all(void) {
    int rank = 0, size = 0;
    MPI_Comm comm;
    lw_mpi.comm_rank(lw_mpi.world, &rank);
    lw_mpi.comm_size(lw_mpi.world, &size);
    if (lw_mpi.comm_split(lw_mpi.world, 0, rank, &comm) != MPI_SUCCESS) return;
    for (int distance = 1; distance < size; distance++) {
        MPI_Request requests[2];
        int from = (rank + size - distance) % size, to = (rank + distance) % size;
        lw_mpi.irecv(NULL, 0, lw_mpi.packed, from, 0, comm, &requests[0]);
        lw_mpi.isend(NULL, 0, lw_mpi.packed, to, 0, comm, &requests[1]);
        lw_yield_waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    lw_mpi.comm_free(&comm);
}

void lw_yield_settle(void) {
    int found = 0;
    lw_yield_barrier(lw_mpi.world);
    exchange_with_all();
    // Each turn lets the library work on its connections. Nothing can be found.
    uint64_t began = lw_clock_read(CLOCK_MONOTONIC);
    for (int turns = 0; turns <= kYields || lw_clock_read(CLOCK_MONOTONIC) - began < kSettleNanoseconds;) {
        lw_mpi.iprobe(0, 0, lw_mpi.self, &found, MPI_STATUS_IGNORE);
        give_way(&turns);
    }
}

bool lw_yield_spins(MPI_Comm comm) {
    if (comm == lw_mpi.world) return false;
    if (!all_yield(comm)) return true;
    bool inter = is_inter(comm);
    if (inter) wait_for_all(comm);
    return inter;
}
