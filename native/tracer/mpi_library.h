// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The MPI library that the program loaded: its functions and constants, found at run time.
///
/// The tracer is not linked with MPI, because it is preloaded into shells and launchers too. So every
/// function and every constant that is an address (Open MPI's handles) is resolved when the program first
/// calls MPI.
#ifndef LINKWORTH_MPI_LIBRARY_H
#define LINKWORTH_MPI_LIBRARY_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Open MPI 5 has sessions, and still calls itself MPI 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define LW_HAS_SESSIONS
#endif

#pragma GCC visibility push(hidden)

#ifdef LW_HAS_SESSIONS
#define LW_SESSION_FUNCTIONS(FUNCTION) FUNCTION(group_from_session_pset, MPI_Group_from_session_pset)
#else
#define LW_SESSION_FUNCTIONS(FUNCTION)
#endif

/// Functions that the tracer itself calls, always past its own wrappers.
#define LW_MPI_FUNCTIONS(FUNCTION)                                       \
    FUNCTION(comm_size, MPI_Comm_size)                                   \
    FUNCTION(comm_rank, MPI_Comm_rank)                                   \
    FUNCTION(comm_split, MPI_Comm_split)                                 \
    FUNCTION(comm_free, MPI_Comm_free)                                   \
    FUNCTION(comm_test_inter, MPI_Comm_test_inter)                       \
    FUNCTION(comm_remote_size, MPI_Comm_remote_size)                     \
    FUNCTION(comm_group, MPI_Comm_group)                                 \
    FUNCTION(comm_remote_group, MPI_Comm_remote_group)                   \
    FUNCTION(group_rank, MPI_Group_rank)                                 \
    FUNCTION(group_size, MPI_Group_size)                                 \
    FUNCTION(group_translate_ranks, MPI_Group_translate_ranks)           \
    FUNCTION(group_free, MPI_Group_free)                                 \
    FUNCTION(cartdim_get, MPI_Cartdim_get)                               \
    FUNCTION(cart_shift, MPI_Cart_shift)                                 \
    FUNCTION(graph_neighbors_count, MPI_Graph_neighbors_count)           \
    FUNCTION(graph_neighbors, MPI_Graph_neighbors)                       \
    FUNCTION(dist_graph_neighbors_count, MPI_Dist_graph_neighbors_count) \
    FUNCTION(dist_graph_neighbors, MPI_Dist_graph_neighbors)             \
    FUNCTION(win_get_group, MPI_Win_get_group)                           \
    FUNCTION(type_size_x, MPI_Type_size_x)                               \
    FUNCTION(test, MPI_Test)                                             \
    FUNCTION(testany, MPI_Testany)                                       \
    FUNCTION(testsome, MPI_Testsome)                                     \
    FUNCTION(test_cancelled, MPI_Test_cancelled)                         \
    FUNCTION(iprobe, MPI_Iprobe)                                         \
    FUNCTION(improbe, MPI_Improbe)                                       \
    FUNCTION(ibarrier, MPI_Ibarrier)                                     \
    FUNCTION(iallreduce, MPI_Iallreduce)                                 \
    FUNCTION(isend, MPI_Isend)                                           \
    FUNCTION(irecv, MPI_Irecv)                                           \
    FUNCTION(pack, MPI_Pack)                                             \
    FUNCTION(pack_size, MPI_Pack_size)                                   \
    FUNCTION(query_thread, MPI_Query_thread)                             \
    FUNCTION(get_library_version, MPI_Get_library_version)               \
    LW_SESSION_FUNCTIONS(FUNCTION)

struct lw_mpi {
#define LW_MEMBER(member, procedure) __typeof__(procedure)* member;
    LW_MPI_FUNCTIONS(LW_MEMBER)
#undef LW_MEMBER
    MPI_Comm world, self, comm_null;
    MPI_Request request_null;
    MPI_Datatype packed, integer;
    MPI_Message message_no_proc;
    MPI_Op no_op, max;
};
extern struct lw_mpi lw_mpi;

/// Generated, in the order of the table of names: every wrapped procedure.
extern const char lw_names[];
extern const uint32_t lw_names_bytes;
extern const uint32_t lw_procedures;
extern void* lw_real[];

/// Real function of the wrapped procedure NUMBER. Ends the program with a message if the library lacks it.
void* lw_resolve(uint32_t number);
/// Finds lw_real and lw_mpi. What the library lacks stays NULL.
void lw_resolve_all(void);
/// Returns false if the loaded library has other handles than those the tracer was compiled for.
bool lw_library_matches(void);

static inline void* lw_target(uint32_t number) {
    void* target = lw_real[number];
    return __builtin_expect(target != NULL, 1) ? target : lw_resolve(number);
}

#pragma GCC visibility pop
#endif
