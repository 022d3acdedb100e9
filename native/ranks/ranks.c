// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Preload library of `linkworth run`. It reports how many ranks MPI found, and changes nothing else.
///
/// It is built with linkworth and without a header of MPI, so it serves every MPI library and needs no
/// compiler at run time.
#define _GNU_SOURCE
#include "library_symbol.h"
#include "report.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int MPI_Init(int* argc, char*** argv);
EXPORTED int PMPI_Init(int* argc, char*** argv);
EXPORTED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
EXPORTED int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided);

typedef int (*init_function)(int*, char***);
typedef int (*init_thread_function)(int*, char***, int, int*);

// MPI_COMM_WORLD of MPICH and of the libraries with its ABI (Intel MPI, MVAPICH, Cray MPICH), and of the
// standard ABI. Open MPI's is an object.
enum { MPICH_COMM_WORLD = 0x44000000 };
static void* const standard_comm_world = (void*)0x101;

// A tool's MPI_Init calls PMPI_Init, and some libraries' MPI_Init calls PMPI_Init_thread.
static __thread int depth;

static void* function(const char* name) {
    void* found = lw_library_symbol(name);
    if (found) return found;
    fprintf(stderr, "linkworth: the program called %s, and no MPI library is loaded\n", name);
    abort();
}

static int with_pointer(const char* name, void* communicator) {
    int (*call)(void*, int*) = (int (*)(void*, int*))function(name);
    int value = -1;
    return call(communicator, &value) == 0 ? value : -1;
}

static int with_integer(const char* name, int communicator) {
    int (*call)(int, int*) = (int (*)(int, int*))function(name);
    int value = -1;
    return call(communicator, &value) == 0 ? value : -1;
}

static int is_mpich(void) {
    static char version[65536];
    int length = 0;
    int (*get_version)(char*, int*) = (int (*)(char*, int*))function("PMPI_Get_library_version");
    return get_version(version, &length) == 0 &&
           (strstr(version, "MPICH") || strstr(version, "Intel(R) MPI") || strstr(version, "MVAPICH"));
}

static void report(void) {
    Dl_info library;
    // Search from the program on: its linker may have copied the object there, and the copy is the one in
    // use.
    void* open_mpi = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
    if (!open_mpi) open_mpi = lw_library_symbol("ompi_mpi_comm_world");
    int rank = -1, size = -1;
    if (open_mpi) {
        rank = with_pointer("PMPI_Comm_rank", open_mpi);
        size = with_pointer("PMPI_Comm_size", open_mpi);
    } else if (!is_mpich() || !dladdr(function("PMPI_Init"), &library) || !library.dli_fname) {
        return;  // A library whose MPI_COMM_WORLD is not known.
    } else if (strstr(library.dli_fname, "libmpi_abi")) {
        rank = with_pointer("PMPI_Comm_rank", standard_comm_world);
        size = with_pointer("PMPI_Comm_size", standard_comm_world);
    } else {
        rank = with_integer("PMPI_Comm_rank", MPICH_COMM_WORLD);
        size = with_integer("PMPI_Comm_size", MPICH_COMM_WORLD);
    }
    if (rank == 0 && size > 0) lw_report_ranks(size);
}

static int ended(int result) {
    if (--depth == 0 && result == 0) report();
    return result;
}

static int init(const char* name, int* argc, char*** argv) {
    init_function real = (init_function)function(name);
    depth++;
    return ended(real(argc, argv));
}

static int init_thread(const char* name, int* argc, char*** argv, int required, int* provided) {
    init_thread_function real = (init_thread_function)function(name);
    depth++;
    return ended(real(argc, argv, required, provided));
}

// Use the name that was called, so that a tool between the program and the library is called too.
int MPI_Init(int* argc, char*** argv) { return init("MPI_Init", argc, argv); }
int PMPI_Init(int* argc, char*** argv) { return init("PMPI_Init", argc, argv); }
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return init_thread("MPI_Init_thread", argc, argv, required, provided);
}
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return init_thread("PMPI_Init_thread", argc, argv, required, provided);
}
