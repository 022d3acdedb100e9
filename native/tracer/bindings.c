// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "bindings.h"

#include <link.h>
#include <string.h>
#include <unwind.h>

struct lw_bindings lw_bindings;

enum { MOST_LIBRARIES = 8, MOST_DEPTHS = 1024, MOST_FRAMES = 8 };

static struct lw_bindings libraries[MOST_LIBRARIES];
static int library_count;

// Distance up the stack to the program's return address, by the return address in the bindings. The functions
// there have frames of fixed size, so that one unwinding for each is enough.
struct depth {
    uintptr_t site;
    uintptr_t bytes;  // from the wrapper's CFA; 0: not known
};
static struct depth depths[MOST_DEPTHS];  // open addressing
static int depth_count;

static bool is_bindings(const char* path) {
    const char* name = strrchr(path, '/');
    name = name ? name + 1 : path;
    return strncmp(name, "libmpi_mpifh", 12) == 0 || strncmp(name, "libmpi_usempi", 13) == 0 ||
           strncmp(name, "libmpifort", 10) == 0 || strncmp(name, "libmpichfort", 12) == 0 ||
           strncmp(name, "libfmpich", 9) == 0;
}

static int take_library(struct dl_phdr_info* info, size_t size, void* unused) {
    (void)size, (void)unused;
    if (library_count == MOST_LIBRARIES || !is_bindings(info->dlpi_name)) return 0;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
        if (start < low) low = start;
        if (end > high) high = end;
    }
    if (low < high) libraries[library_count++] = (struct lw_bindings){low, high - low};
    return 0;
}

void lw_bindings_begin(void) {
    library_count = 0;
    dl_iterate_phdr(take_library, NULL);
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < library_count; i++) {
        if (libraries[i].low < low) low = libraries[i].low;
        if (libraries[i].low + libraries[i].bytes > high) high = libraries[i].low + libraries[i].bytes;
    }
    lw_bindings = library_count ? (struct lw_bindings){low, high - low} : (struct lw_bindings){0, 0};
}

static bool in_bindings(uintptr_t address) {
    for (int i = 0; i < library_count; i++)
        if (address - libraries[i].low < libraries[i].bytes) return true;
    return false;
}

struct search {
    uintptr_t site;
    bool found_site;
    int frames;
    uintptr_t result;        // return address in the program
    const uintptr_t* stack;  // of the program at its call
};

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context* context, void* argument) {
    struct search* search = argument;
    uintptr_t address = _Unwind_GetIP(context);
    if (!search->found_site) {
        if (address != search->site)
            return ++search->frames < MOST_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
        search->found_site = true;
        search->frames = 0;
    } else if (!in_bindings(address)) {
        search->result = address;
        search->stack = (const uintptr_t*)_Unwind_GetCFA(context);
        return _URC_END_OF_STACK;
    }
    return ++search->frames < MOST_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static uintptr_t unwind(uintptr_t site, const void* cfa) {
    struct search search = {.site = site};
    _Unwind_Backtrace(look_at_frame, &search);
    if (!search.result) return 0;
    // The call put the address just below the program's stack pointer.
    for (const uintptr_t* slot = cfa; slot < search.stack; slot++)
        if (*slot == search.result) return (uintptr_t)((const char*)slot - (const char*)cfa);
    return 0;
}

uintptr_t lw_site_behind_bindings(uintptr_t site, const void* cfa) {
    if (!lw_tracing || lw_recorder.profiling || !in_bindings(site)) return site;
    uint32_t at = (uint32_t)(site * 0x9e3779b97f4a7c15u >> 40) % MOST_DEPTHS;
    for (;; at = (at + 1) % MOST_DEPTHS) {
        uintptr_t known = __atomic_load_n(&depths[at].site, __ATOMIC_ACQUIRE);
        if (!known) break;
        if (known != site) continue;
        if (!depths[at].bytes) return site;
        uintptr_t program = *(const uintptr_t*)((const char*)cfa + depths[at].bytes);
        // Reached by another way (mpi_f08 calls mpif.h's functions): a depth of its own.
        if (!in_bindings(program)) return program;
    }
    lw_lock();
    uintptr_t bytes = unwind(site, cfa);
    if (depth_count < MOST_DEPTHS / 2) {
        while (depths[at].site) at = (at + 1) % MOST_DEPTHS;
        depths[at].bytes = bytes;
        __atomic_store_n(&depths[at].site, site, __ATOMIC_RELEASE);
        depth_count++;
    }
    lw_unlock();
    return bytes ? *(const uintptr_t*)((const char*)cfa + bytes) : site;
}
