// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Numbers of the program's communicators, by handle, and the records that define them.
#ifndef LINKWORTH_COMMUNICATOR_H
#define LINKWORTH_COMMUNICATOR_H

#include "lifecycle.h"
#include "record.h"
#include "topology.h"

#pragma GCC visibility push(hidden)

struct lw_comm {
    uint64_t handle;
    uint32_t number;
    int32_t rank;   ///< own rank in it
    int32_t size;   ///< of the local group
    int32_t peers;  ///< of the group that ranks refer to: the remote one of an inter-communicator
    int32_t sources, destinations;  ///< neighbours of its process topology, 0 without one
    bool inter;
    enum lw_topology topology;
};

/// The processes that started together.
extern MPI_Group lw_world_group;

/// Adds MPI_COMM_WORLD and MPI_COMM_SELF, which a program that begins with a session cannot query.
void lw_comms_begin(const struct lw_world* world);
/// Returns NULL if the communicator is not known (null, or made by a call that is not modelled). Under the
/// lock.
const struct lw_comm* lw_comm_find(MPI_Comm handle);
/// Returns the ranks of a group's members in the group WHOLE, which the caller frees. NULL if memory runs
/// out, or one of them is not in it (a spawned process, which is not in this world).
int* lw_ranks_of(MPI_Group group, MPI_Group whole, int* size);
/// Records a constructor's call.
void lw_record_comm_new(struct lw_call* call, MPI_Comm parent, const MPI_Comm* new_comm,
                        enum lw_topology topology);
/// Same for one that a callback of a duplication makes. It takes no time of its own. Returns RESULT.
int lw_nested_comm_new(int result, uint32_t name, MPI_Comm parent, const MPI_Comm* new_comm,
                       enum lw_topology topology);
/// Records MPI_Comm_idup. MPICH and Open MPI write the new handle at once, and Open MPI's Fortran library to
/// a variable that is gone when REQUEST is complete.
void lw_record_icomm_new(struct lw_call* call, MPI_Comm parent, const MPI_Comm* new_comm,
                         const MPI_Request* request);
/// Forgets a communicator ahead of the call that frees it, since a callback or another thread may get its
/// handle for another one during that call. Returns what was known of it: a size of 0 if nothing.
struct lw_comm lw_comm_forget(MPI_Comm handle);
/// Records MPI_Comm_free of a communicator. One that could not be freed is known again.
void lw_record_comm_free(struct lw_call* call, MPI_Comm handle, struct lw_comm forgotten);

#pragma GCC visibility pop
#endif
