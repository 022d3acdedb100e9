// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "library_symbol.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void* library_handle;

enum { MOST_OBJECTS = 4096 };

struct object_list {
    char* paths[MOST_OBJECTS];
    size_t count;
};

static int collect_object(struct dl_phdr_info* info, size_t size, void* argument) {
    (void)size;
    struct object_list* list = argument;
    if (info->dlpi_name && info->dlpi_name[0] && list->count < MOST_OBJECTS) {
        char* path = strdup(info->dlpi_name);
        if (path) list->paths[list->count++] = path;
    }
    return 0;
}

// The linker's names for the ends of this library. dladdr would find them as well, but takes 10 us a
// procedure.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static bool is_tracer(const void* address) {
    return (uintptr_t)address >= (uintptr_t)__ehdr_start && (uintptr_t)address < (uintptr_t)_end;
}

// A library opened with RTLD_LOCAL (mpi4py, plug-ins) is not in the scope that RTLD_NEXT searches.
static void find_library_handle(void) {
    static struct object_list list;
    list.count = 0;
    dl_iterate_phdr(collect_object, &list);
    for (size_t i = 0; i < list.count; i++) {
        if (!library_handle) {
            void* handle = dlopen(list.paths[i], RTLD_LAZY | RTLD_NOLOAD);
            void* init = handle ? dlsym(handle, "PMPI_Init") : NULL;
            if (init && !is_tracer(init))
                library_handle = handle;
            else if (handle)
                dlclose(handle);
        }
        free(list.paths[i]);
    }
}

void* lw_library_symbol(const char* name) {
    void* symbol = dlsym(RTLD_NEXT, name);
    if (symbol && !is_tracer(symbol)) return symbol;
    if (!library_handle) find_library_handle();
    symbol = library_handle ? dlsym(library_handle, name) : NULL;
    return symbol && !is_tracer(symbol) ? symbol : NULL;
}
