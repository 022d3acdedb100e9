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

/// Functions that the tracer itself calls, always past its own wrappers.
struct lw_mpi {
    int (*comm_size)(MPI_Comm, int*);
    int (*comm_rank)(MPI_Comm, int*);
    int (*comm_split)(MPI_Comm, int, int, MPI_Comm*);
    int (*comm_free)(MPI_Comm*);
    int (*comm_test_inter)(MPI_Comm, int*);
    int (*comm_remote_size)(MPI_Comm, int*);
    int (*comm_group)(MPI_Comm, MPI_Group*);
    int (*comm_remote_group)(MPI_Comm, MPI_Group*);
    int (*group_rank)(MPI_Group, int*);
    int (*group_size)(MPI_Group, int*);
    int (*group_translate_ranks)(MPI_Group, int, const int*, MPI_Group, int*);
    int (*group_free)(MPI_Group*);
    int (*cartdim_get)(MPI_Comm, int*);
    int (*cart_shift)(MPI_Comm, int, int, int*, int*);
    int (*graph_neighbors_count)(MPI_Comm, int, int*);
    int (*graph_neighbors)(MPI_Comm, int, int, int*);
    int (*dist_graph_neighbors_count)(MPI_Comm, int*, int*, int*);
    int (*dist_graph_neighbors)(MPI_Comm, int, int*, int*, int, int*, int*);
    int (*win_get_group)(MPI_Win, MPI_Group*);
    int (*type_size_x)(MPI_Datatype, MPI_Count*);
    int (*test)(MPI_Request*, int*, MPI_Status*);
    int (*testany)(int, MPI_Request*, int*, int*, MPI_Status*);
    int (*testsome)(int, MPI_Request*, int*, int*, MPI_Status*);
    int (*test_cancelled)(const MPI_Status*, int*);
    int (*iprobe)(int, int, MPI_Comm, int*, MPI_Status*);
    int (*improbe)(int, int, MPI_Comm, int*, MPI_Message*, MPI_Status*);
    int (*ibarrier)(MPI_Comm, MPI_Request*);
    int (*iallreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);
    int (*isend)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    int (*irecv)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    int (*pack)(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm);
    int (*pack_size)(int, MPI_Datatype, MPI_Comm, int*);
    int (*query_thread)(int*);
    int (*get_library_version)(char*, int*);
#ifdef LW_HAS_SESSIONS
    int (*group_from_session_pset)(MPI_Session, const char*, MPI_Group*);
#endif
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
