// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "mpi_library.h"

#include "library_symbol.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lw_mpi lw_mpi;

static void* find_procedure(const char* name) {
    char profiling_name[128];
    snprintf(profiling_name, sizeof profiling_name, "P%s", name);
    void* symbol = lw_library_symbol(profiling_name);
    return symbol ? symbol : lw_library_symbol(name);
}

static const char* procedure_name(uint32_t number) {
    const char* name = lw_names;
    while (number--) name += strlen(name) + 1;
    return name;
}

void* lw_resolve(uint32_t number) {
    const char* name = procedure_name(number);
    void* target = find_procedure(name);
    if (!target) {
        fprintf(stderr,
                "linkworth: the program called %s, which the MPI library that it loaded does not have\n",
                name);
        abort();
    }
    lw_real[number] = target;
    return target;
}

#ifdef OPEN_MPI
// Objects are searched from the program on: the linker may have copied them there, and the copy is the one in
// use.
static void* find_object(const char* name) {
    void* object = dlsym(RTLD_DEFAULT, name);
    return object ? object : lw_library_symbol(name);
}
#endif

#define RESOLVE(member, name) (*(void**)& lw_mpi.member = find_procedure(name))

void lw_resolve_all(void) {
    const char* name = lw_names;
    for (uint32_t number = 0; number < lw_procedures; number++, name += strlen(name) + 1)
        if (!lw_real[number]) lw_real[number] = find_procedure(name);
    RESOLVE(comm_size, "MPI_Comm_size");
    RESOLVE(comm_rank, "MPI_Comm_rank");
    RESOLVE(comm_split, "MPI_Comm_split");
    RESOLVE(comm_free, "MPI_Comm_free");
    RESOLVE(comm_test_inter, "MPI_Comm_test_inter");
    RESOLVE(comm_remote_size, "MPI_Comm_remote_size");
    RESOLVE(comm_group, "MPI_Comm_group");
    RESOLVE(comm_remote_group, "MPI_Comm_remote_group");
    RESOLVE(group_rank, "MPI_Group_rank");
    RESOLVE(group_size, "MPI_Group_size");
    RESOLVE(group_translate_ranks, "MPI_Group_translate_ranks");
    RESOLVE(group_free, "MPI_Group_free");
    RESOLVE(cartdim_get, "MPI_Cartdim_get");
    RESOLVE(cart_shift, "MPI_Cart_shift");
    RESOLVE(graph_neighbors_count, "MPI_Graph_neighbors_count");
    RESOLVE(graph_neighbors, "MPI_Graph_neighbors");
    RESOLVE(dist_graph_neighbors_count, "MPI_Dist_graph_neighbors_count");
    RESOLVE(dist_graph_neighbors, "MPI_Dist_graph_neighbors");
    RESOLVE(win_get_group, "MPI_Win_get_group");
    RESOLVE(type_size_x, "MPI_Type_size_x");
    RESOLVE(test, "MPI_Test");
    RESOLVE(testany, "MPI_Testany");
    RESOLVE(testsome, "MPI_Testsome");
    RESOLVE(test_cancelled, "MPI_Test_cancelled");
    RESOLVE(iprobe, "MPI_Iprobe");
    RESOLVE(improbe, "MPI_Improbe");
    RESOLVE(ibarrier, "MPI_Ibarrier");
    RESOLVE(iallreduce, "MPI_Iallreduce");
    RESOLVE(isend, "MPI_Isend");
    RESOLVE(irecv, "MPI_Irecv");
    RESOLVE(pack, "MPI_Pack");
    RESOLVE(pack_size, "MPI_Pack_size");
    RESOLVE(query_thread, "MPI_Query_thread");
    RESOLVE(get_library_version, "MPI_Get_library_version");
#ifdef LW_HAS_SESSIONS
    RESOLVE(group_from_session_pset, "MPI_Group_from_session_pset");
#endif
#ifdef OPEN_MPI
    lw_mpi.world = (MPI_Comm)find_object("ompi_mpi_comm_world");
    lw_mpi.self = (MPI_Comm)find_object("ompi_mpi_comm_self");
    lw_mpi.comm_null = (MPI_Comm)find_object("ompi_mpi_comm_null");
    lw_mpi.request_null = (MPI_Request)find_object("ompi_request_null");
    lw_mpi.packed = (MPI_Datatype)find_object("ompi_mpi_packed");
    lw_mpi.message_no_proc = (MPI_Message)find_object("ompi_message_no_proc");
    lw_mpi.integer = (MPI_Datatype)find_object("ompi_mpi_int");
    lw_mpi.no_op = (MPI_Op)find_object("ompi_mpi_op_no_op");
    lw_mpi.max = (MPI_Op)find_object("ompi_mpi_op_max");
#else
    lw_mpi.world = MPI_COMM_WORLD;
    lw_mpi.self = MPI_COMM_SELF;
    lw_mpi.comm_null = MPI_COMM_NULL;
    lw_mpi.request_null = MPI_REQUEST_NULL;
    lw_mpi.packed = MPI_PACKED;
    lw_mpi.message_no_proc = MPI_MESSAGE_NO_PROC;
    lw_mpi.integer = MPI_INT;
    lw_mpi.no_op = MPI_NO_OP;
    lw_mpi.max = MPI_MAX;
#endif
}

bool lw_library_matches(void) {
#ifdef OPEN_MPI
    return lw_mpi.world && lw_mpi.self && lw_mpi.comm_null && lw_mpi.request_null && lw_mpi.packed;
#else
    if (lw_library_symbol("ompi_mpi_comm_world")) return false;
#ifndef MPI_ABI_VERSION
    // MPICH 5 also ships the standard ABI, with handles of another kind, as libmpi_abi.
    Dl_info library;
    void* init = lw_library_symbol("PMPI_Init");
    if (init && dladdr(init, &library) && library.dli_fname && strstr(library.dli_fname, "libmpi_abi"))
        return false;
#endif
    return lw_mpi.type_size_x != NULL;
#endif
}
