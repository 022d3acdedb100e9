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
#define HANDLE(constant, object) find_object(object)
#else
#define HANDLE(constant, object) (constant)
#endif

void lw_resolve_all(void) {
    const char* name = lw_names;
    for (uint32_t number = 0; number < lw_procedures; number++, name += strlen(name) + 1)
        if (!lw_real[number]) lw_real[number] = find_procedure(name);
#define RESOLVE(member, procedure) *(void**)&lw_mpi.member = find_procedure(#procedure);
    LW_MPI_FUNCTIONS(RESOLVE)
#undef RESOLVE
    lw_mpi.world = (MPI_Comm)HANDLE(MPI_COMM_WORLD, "ompi_mpi_comm_world");
    lw_mpi.self = (MPI_Comm)HANDLE(MPI_COMM_SELF, "ompi_mpi_comm_self");
    lw_mpi.comm_null = (MPI_Comm)HANDLE(MPI_COMM_NULL, "ompi_mpi_comm_null");
    lw_mpi.request_null = (MPI_Request)HANDLE(MPI_REQUEST_NULL, "ompi_request_null");
    lw_mpi.packed = (MPI_Datatype)HANDLE(MPI_PACKED, "ompi_mpi_packed");
    lw_mpi.message_no_proc = (MPI_Message)HANDLE(MPI_MESSAGE_NO_PROC, "ompi_message_no_proc");
    lw_mpi.integer = (MPI_Datatype)HANDLE(MPI_INT, "ompi_mpi_int");
    lw_mpi.no_op = (MPI_Op)HANDLE(MPI_NO_OP, "ompi_mpi_op_no_op");
    lw_mpi.max = (MPI_Op)HANDLE(MPI_MAX, "ompi_mpi_op_max");
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
