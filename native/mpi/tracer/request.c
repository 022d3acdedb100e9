// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "request.h"

#include <stdlib.h>
#include <string.h>

// Open addressing from handle to the queue of requests that share it; entries move back on deletion, so that
// no tombstones gather. The queues' nodes come from one pool, in which number 0 stands for none.
struct entry {
    uint64_t handle;
    uint32_t oldest, youngest;  // oldest 0: the entry is empty
};

static struct entry* entries;
static uint32_t capacity, used;  // capacity is a power of two
static struct lw_request* pool;
static uint32_t pool_size, free_list;
static uint32_t wildcards;

static uint64_t key_of(MPI_Request handle) { return (uint64_t)(uintptr_t)handle; }

static uint32_t home(uint64_t handle) {
    return (uint32_t)((handle * 0x9e3779b97f4a7c15u) >> 32) & (capacity - 1);
}

static uint32_t position_of(uint64_t handle) {
    uint32_t at = home(handle);
    while (entries[at].oldest && entries[at].handle != handle) at = (at + 1) & (capacity - 1);
    return at;
}

static bool grow_entries(void) {
    uint32_t larger = capacity ? capacity * 2 : 1024;
    struct entry *old = entries, *fresh = calloc(larger, sizeof *fresh);
    if (!fresh) return false;
    uint32_t old_capacity = capacity;
    entries = fresh;
    capacity = larger;
    for (uint32_t i = 0; i < old_capacity; i++)
        if (old[i].oldest) entries[position_of(old[i].handle)] = old[i];
    free(old);
    return true;
}

static bool grow_pool(void) {
    uint32_t larger = pool_size ? pool_size * 2 : 1024;
    struct lw_request* fresh = realloc(pool, larger * sizeof *fresh);
    if (!fresh) return false;
    pool = fresh;
    for (uint32_t i = larger - 1; i >= (pool_size ? pool_size : 1); i--) {
        pool[i].next = free_list;
        free_list = i;
    }
    pool_size = larger;
    return true;
}

void lw_request_add(MPI_Request handle, uint32_t flags, MPI_Comm* new_comm, uint32_t comm) {
    if (lw_recorder.profiling) return;
    uint64_t number = lw_recorder.next_request++;
    if (used >= capacity / 2 && !grow_entries()) return;
    if (!free_list && !grow_pool()) return;
    uint32_t node = free_list;
    free_list = pool[node].next;
    pool[node] = (struct lw_request){number, 0, flags, new_comm, comm};
    wildcards += (flags & LW_REQUEST_WILDCARD) != 0;
    uint64_t key = key_of(handle);
    struct entry* entry = &entries[position_of(key)];
    if (entry->oldest) {
        pool[entry->youngest].next = node;
    } else {
        *entry = (struct entry){key, node, node};
        used++;
    }
    entry->youngest = node;
}

struct lw_request* lw_request_find(MPI_Request handle) {
    if (!capacity) return NULL;
    uint32_t oldest = entries[position_of(key_of(handle))].oldest;
    return oldest ? &pool[oldest] : NULL;
}

struct lw_request* lw_request_pair(const struct lw_request* request) {
    return (request->flags & LW_REQUEST_PAIR) && request->next ? &pool[request->next] : NULL;
}

static void remove_entry(uint32_t hole) {
    uint32_t mask = capacity - 1;
    for (uint32_t at = (hole + 1) & mask; entries[at].oldest; at = (at + 1) & mask) {
        // An entry may fill the hole unless its home lies behind the hole.
        if (((at - home(entries[at].handle)) & mask) >= ((at - hole) & mask)) {
            entries[hole] = entries[at];
            hole = at;
        }
    }
    entries[hole].oldest = 0;
    used--;
}

void lw_request_remove(MPI_Request handle) {
    if (!capacity) return;
    uint32_t at = position_of(key_of(handle));
    uint32_t node = entries[at].oldest;
    if (!node) return;
    wildcards -= (pool[node].flags & LW_REQUEST_WILDCARD) != 0;
    entries[at].oldest = pool[node].next;
    pool[node].next = free_list;
    free_list = node;
    if (!entries[at].oldest) remove_entry(at);
}

bool lw_requests_have_wildcards(void) { return wildcards != 0; }
