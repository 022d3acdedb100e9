// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "site.h"

#include "mpi_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

// Open addressing by address and name. MOST is the room in the table of names, and CAPACITY half as many
// again.
enum { CAPACITY = 2048, MOST = 1365 };

static struct {
    uintptr_t address;  // 0: empty
    uint32_t name, entry;
} known[CAPACITY];
static uint32_t used, next_entry;
static char *free_text, *text_end;

void lw_sites_begin(struct lw_part_header* header) {
    char* names = (char*)header + header->names_offset;
    free_text = names + header->names_bytes;
    text_end = (char*)header + header->first_block;
    header->names_bytes = (uint32_t)(text_end - names);
    next_entry = lw_procedures;
}

static const char* name_of(uint32_t number) {
    const char* name = lw_names;
    while (number--) name += strlen(name) + 1;
    return name;
}

// Appends NAME@MODULE+0xADDRESS, with the address as in the module's symbol table. Returns 0 if that is not
// possible.
static uint32_t add_entry(uintptr_t address, uint32_t name) {
    Dl_info found;
    struct link_map* module = NULL;
    if (!dladdr1((void*)address, &found, (void**)&module, RTLD_DL_LINKMAP) || !module) return 0;
    const char* path = module->l_name[0] ? module->l_name : lw_part.header->program;
    char text[PATH_MAX + 128];
    int length = snprintf(text, sizeof text, "%s@%s+0x%llx", name_of(name), path,
                          (unsigned long long)(address - module->l_addr));
    if (length < 0 || length >= (int)sizeof text || text_end - free_text <= length) return 0;
    // The first letter is written last: a reader of a killed rank's part treats what is behind a whole entry
    // as unused.
    memcpy(free_text + 1, text + 1, (size_t)length);
    __atomic_store_n(free_text, text[0], __ATOMIC_RELEASE);
    free_text += length + 1;
    return next_entry++;
}

uint32_t lw_site_entry(const struct lw_call* call) {
    if (!call->site || !free_text) return call->name;
    uint64_t hash = (call->site ^ (uint64_t)call->name << 48) * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 32) % CAPACITY;
    for (; known[at].address; at = (at + 1) % CAPACITY)
        if (known[at].address == call->site && known[at].name == call->name) return known[at].entry;
    if (used == MOST) return call->name;
    uint32_t entry = add_entry(call->site, call->name);
    known[at].address = call->site;
    known[at].name = call->name;
    known[at].entry = entry ? entry : call->name;
    used++;
    return known[at].entry;
}
