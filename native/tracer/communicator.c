// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "communicator.h"

#include "rank.h"
#include "repeat.h"
#include "request.h"
#include "topology.h"

#include <stdlib.h>
#include <string.h>

// A program has few communicators alive at a time: a list with the latest one first tried is enough.
static struct lw_comm* comms;
static uint32_t comm_count, comm_capacity, latest_comm, next_comm;
MPI_Group lw_world_group;

static uint64_t key_of(MPI_Comm handle) { return (uint64_t)(uintptr_t)handle; }

static struct lw_comm* add(MPI_Comm handle, uint32_t number) {
    if (comm_count == comm_capacity) {
        uint32_t larger = comm_capacity ? comm_capacity * 2 : 64;
        struct lw_comm* fresh = realloc(comms, larger * sizeof *fresh);
        if (!fresh) return NULL;
        comms = fresh;
        comm_capacity = larger;
    }
    struct lw_comm* comm = &comms[comm_count];
    *comm = (struct lw_comm){.handle = key_of(handle), .number = number};
    latest_comm = comm_count++;
    return comm;
}

static void keep(MPI_Comm handle, uint32_t number, enum lw_topology topology) {
    struct lw_comm* comm = add(handle, number);
    if (!comm) return;
    int inter = 0;
    lw_mpi.comm_test_inter(handle, &inter);
    lw_mpi.comm_rank(handle, &comm->rank);
    lw_mpi.comm_size(handle, &comm->size);
    comm->inter = inter;
    comm->topology = topology;
    comm->peers = comm->size;
    if (inter) {
        lw_mpi.comm_remote_size(handle, &comm->peers);
    } else {
        struct lw_neighbours neighbours = lw_neighbours_of(handle, topology);
        comm->sources = neighbours.sources;
        comm->destinations = neighbours.destinations;
        free(neighbours.ranks);
    }
    lw_handles_changed();
}

// Keeps a communicator that is like another one in all but its handle and number.
static void keep_like(MPI_Comm handle, uint32_t number, struct lw_comm like) {
    struct lw_comm* comm = add(handle, number);
    if (!comm) return;
    like.handle = comm->handle;
    like.number = number;
    *comm = like;
    lw_handles_changed();
}

void lw_comms_begin(const struct lw_world* world) {
    struct lw_comm* all = add(lw_mpi.world, 0);
    if (all) {
        all->rank = world->rank;
        all->size = all->peers = world->size;
    }
    struct lw_comm* self = add(lw_mpi.self, 1);
    if (self) self->size = self->peers = 1;
    latest_comm = 0;
    next_comm = 2;
}

static const struct lw_comm* search(uint64_t key) {
    for (uint32_t i = 0; i < comm_count; i++)
        if (comms[i].handle == key) {
            latest_comm = i;
            return &comms[i];
        }
    return NULL;
}

const struct lw_comm* lw_comm_find(MPI_Comm handle) {
    uint64_t key = key_of(handle);
    if (__builtin_expect(latest_comm < comm_count && comms[latest_comm].handle == key, 1))
        return &comms[latest_comm];
    return search(key);
}

struct lw_comm lw_comm_forget(MPI_Comm handle) {
    struct lw_comm forgotten = {.size = 0};
    lw_lock();
    const struct lw_comm* comm = search(key_of(handle));
    if (comm) {
        forgotten = *comm;
        comms[comm - comms] = comms[--comm_count];
        lw_handles_changed();
        latest_comm = 0;
    }
    lw_unlock();
    return forgotten;
}

int* lw_ranks_of(MPI_Group group, MPI_Group whole, int* size) {
    lw_mpi.group_size(group, size);
    int* ranks = malloc(2 * (size_t)(*size + 1) * sizeof *ranks);
    if (!ranks) return NULL;
    int* in_group = ranks + *size;
    for (int i = 0; i < *size; i++) in_group[i] = i;
    lw_mpi.group_translate_ranks(group, *size, in_group, whole, ranks);
    for (int i = 0; i < *size; i++)
        if (ranks[i] < 0) {
            free(ranks);
            return NULL;
        }
    return ranks;
}

static uint8_t* put_members(uint8_t* at, const int* members, int size) {
    at = lw_put(at, (uint64_t)size);
    int before = 0;
    for (int i = 0; i < size; i++) {
        at = lw_put_signed(at, (int64_t)members[i] - before);
        before = members[i];
    }
    return at;
}

static uint8_t* put_neighbours(uint8_t* at, const int* ranks, int number) {
    at = lw_put(at, (uint64_t)number);
    for (int i = 0; i < number; i++) at = lw_put_signed(at, lw_rank(ranks[i]));
    return at;
}

// Records a new communicator, whose members and neighbours are those of COMM_LIKE. Returns its number, or 0
// if it was not recorded.
static uint32_t record_new(struct lw_call* call, enum lw_class class, uint32_t parent, MPI_Comm comm_like,
                           enum lw_topology topology) {
    int inter = 0, size = 0, remote_size = 0;
    int *members = NULL, *remote = NULL;
    struct lw_neighbours neighbours = {.known = false};
    MPI_Group group;
    lw_mpi.comm_test_inter(comm_like, &inter);
    lw_mpi.comm_group(comm_like, &group);
    members = lw_ranks_of(group, lw_world_group, &size);
    lw_mpi.group_free(&group);
    // A grid of fewer ranks than its parent has the parent's group in MPICH 5.0. Its ranks come first there.
    int in_comm = size;
    lw_mpi.comm_size(comm_like, &in_comm);
    if (in_comm < size) size = in_comm;
    if (inter) {
        lw_mpi.comm_remote_group(comm_like, &group);
        remote = lw_ranks_of(group, lw_world_group, &remote_size);
        lw_mpi.group_free(&group);
    } else {
        neighbours = lw_neighbours_of(comm_like, topology);
    }
    uint32_t number = 0;
    if (members && (remote || !inter)) {
        size_t listed =
            (size_t)size + (size_t)remote_size + (size_t)neighbours.sources + (size_t)neighbours.destinations;
        size_t bytes = (listed + 8) * LW_VARINT_MOST_BYTES;
        uint8_t* at = lw_payload_begin(call, class, bytes);
        if (at) {
            number = next_comm++;
            at = lw_put(at, parent);
            at = lw_put(at, (uint64_t)number + 1);
            *at++ = (uint8_t)inter;
            at = put_members(at, members, size);
            if (inter) at = put_members(at, remote, remote_size);
            if (neighbours.known) {
                at = put_neighbours(at, neighbours.ranks, neighbours.sources);
                at = put_neighbours(at, neighbours.ranks + neighbours.sources, neighbours.destinations);
            }
        }
        lw_write(call, at);
    } else {
        lw_write_local(call);
    }
    free(members);
    free(remote);
    free(neighbours.ranks);
    return number;
}

static void record_no_comm(struct lw_call* call, uint32_t parent) {
    uint8_t* at = lw_payload_begin(call, LW_COMM_NEW, LW_VARINT_MOST_BYTES + 3);
    if (at) {
        at = lw_put(at, parent);
        memset(at, 0, 3);
        at += 3;
    }
    lw_write(call, at);
}

void lw_record_comm_new(struct lw_call* call, MPI_Comm parent, const MPI_Comm* new_comm,
                        enum lw_topology topology) {
    lw_own.duplicating = NULL;
    lw_lock();
    const struct lw_comm* from = lw_comm_find(parent);
    if (!from || !call->succeeded) {
        lw_write_local(call);
    } else if (*new_comm == lw_mpi.comm_null) {
        record_no_comm(call, from->number);
    } else {
        if (topology == LW_TOPOLOGY_OF_PARENT) topology = from->topology;
        uint32_t number = record_new(call, LW_COMM_NEW, from->number, *new_comm, topology);
        if (number) keep(*new_comm, number, topology);
    }
    lw_unlock();
}

int lw_nested_comm_new(int result, uint32_t name, MPI_Comm parent, const MPI_Comm* new_comm,
                       enum lw_topology topology) {
    struct lw_call* outer = lw_own.duplicating;
    if (!outer || result != MPI_SUCCESS) return result;
    struct lw_call call = *outer;  // with the gap ahead of it
    call.name = name;
    call.site = 0;
    call.end = call.start;
    call.succeeded = true;
    lw_record_comm_new(&call, parent, new_comm, topology);
    lw_own.duplicating = outer;
    return result;
}

void lw_record_icomm_new(struct lw_call* call, MPI_Comm parent, const MPI_Comm* new_comm,
                         const MPI_Request* request) {
    lw_own.duplicating = NULL;
    lw_lock();
    const struct lw_comm* from = lw_comm_find(parent);
    if (!from || !call->succeeded) {
        lw_write_local(call);
    } else {
        uint32_t number = record_new(call, LW_ICOMM_NEW, from->number, parent, from->topology);
        if (number) {
            keep_like(*new_comm, number, *from);
            lw_request_add(*request, 0);
        }
    }
    lw_unlock();
}

void lw_record_comm_free(struct lw_call* call, MPI_Comm handle, struct lw_comm forgotten) {
    lw_lock();
    if (forgotten.size && call->succeeded) {
        uint8_t* at = lw_payload_begin(call, LW_COMM_FREE, LW_VARINT_MOST_BYTES);
        lw_write(call, at ? lw_put(at, forgotten.number) : NULL);
    } else {
        if (forgotten.size) keep_like(handle, forgotten.number, forgotten);
        lw_write_local(call);
    }
    lw_unlock();
}
