// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "request.h"

#include <stdlib.h>
#include <string.h>

// Open addressing from handle to the queue of requests that share it. Entries move back on deletion, so that
// no tombstones gather. The queues' nodes come from one pool, in which number 0 means none.
struct entry {
    uint64_t handle;
    uint32_t oldest, youngest;  // oldest 0: the entry is empty
};

struct table {
    struct entry* entries;
    uint32_t capacity, used;  // capacity is a power of two
};

static struct table all;
struct lw_few lw_few = {.room = LW_FEW};
// Requests that a call of this thread may be about to complete.
static __thread struct table claimed __attribute__((tls_model("initial-exec")));
static struct lw_request* pool;
static uint32_t pool_size, free_list;
static uint32_t wildcards;

static uint64_t request_key(MPI_Request handle) { return (uint64_t)(uintptr_t)handle; }

static uint32_t home(const struct table* table, uint64_t handle) {
    return (uint32_t)((handle * 0x9e3779b97f4a7c15u) >> 32) & (table->capacity - 1);
}

static uint32_t position_of(const struct table* table, uint64_t handle) {
    uint32_t at = home(table, handle);
    while (table->entries[at].oldest && table->entries[at].handle != handle)
        at = (at + 1) & (table->capacity - 1);
    return at;
}

static bool has_room(struct table* table) {
    if (table->used < table->capacity / 2) return true;
    struct table larger = {NULL, table->capacity ? table->capacity * 2 : 1024, table->used};
    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (!larger.entries) return false;
    for (uint32_t i = 0; i < table->capacity; i++) {
        const struct entry* entry = &table->entries[i];
        if (entry->oldest) larger.entries[position_of(&larger, entry->handle)] = *entry;
    }
    free(table->entries);
    *table = larger;
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

// Takes a table with room.
static void put_youngest(struct table* table, uint64_t handle, uint32_t node) {
    struct entry* entry = &table->entries[position_of(table, handle)];
    pool[node].next = 0;
    if (entry->oldest) {
        pool[entry->youngest].next = node;
    } else {
        *entry = (struct entry){handle, node, node};
        table->used++;
    }
    entry->youngest = node;
}

static void remove_entry(struct table* table, uint32_t hole) {
    uint32_t mask = table->capacity - 1;
    for (uint32_t at = (hole + 1) & mask; table->entries[at].oldest; at = (at + 1) & mask) {
        // An entry may fill the hole unless its home is behind the hole.
        if (((at - home(table, table->entries[at].handle)) & mask) >= ((at - hole) & mask)) {
            table->entries[hole] = table->entries[at];
            hole = at;
        }
    }
    table->entries[hole].oldest = 0;
    table->used--;
}

static uint32_t oldest(const struct table* table, uint64_t handle) {
    return table->capacity ? table->entries[position_of(table, handle)].oldest : 0;
}

// The oldest request of the calling thread with this handle, else the oldest of all; 0: there is none.
static uint32_t find_own(const struct table* table, uint64_t handle) {
    uint32_t first = oldest(table, handle), node = first;
    while (node && pool[node].thread != lw_own.self->stream.thread) node = pool[node].next;
    return node ? node : first;
}

static void take_out(struct table* table, uint64_t handle, uint32_t node) {
    uint32_t at = position_of(table, handle), before = 0;
    struct entry* entry = &table->entries[at];
    for (uint32_t other = entry->oldest; other != node; other = pool[other].next) before = other;
    if (before)
        pool[before].next = pool[node].next;
    else
        entry->oldest = pool[node].next;
    if (entry->youngest == node) entry->youngest = before;
    if (!entry->oldest) remove_entry(table, at);
}

static void keep_request(MPI_Request handle, struct lw_request request) {
    request.number = lw_recorder.next_request++;
    if (!has_room(&all)) return;
    if (!free_list && !grow_pool()) return;
    uint32_t node = free_list;
    free_list = pool[node].next;
    pool[node] = request;
    pool[node].thread = lw_own.self->stream.thread;
    wildcards += (request.flags & LW_REQUEST_WILDCARD) != 0;
    put_youngest(&all, request_key(handle), node);
    lw_few.room = 0;
}

void lw_request_add(MPI_Request handle, uint32_t flags) {
    struct lw_request request = {.flags = flags};
    if (lw_recorder.profiling) {
        if (!(flags & LW_REQUEST_PERSISTENT)) return;
        request.bytes = lw_profile_bytes(lw_recorder.payload);
    }
    if (lw_fast && !flags && lw_few.count < lw_few.room)
        lw_add_request(handle, 0);
    else
        keep_request(handle, request);
}

struct lw_request* lw_request_find_nth(MPI_Request handle, uint32_t nth) {
    for (uint32_t at = 0; at < lw_few.count; at++)
        if (lw_few.handles[at] == handle && !nth--) {
            static struct lw_request found;
            found = (struct lw_request){.number = lw_few.numbers[at]};
            return &found;
        }
    const struct table* tables[] = {&claimed, &all};
    for (int i = 0; i < 2; i++) {
        uint32_t node = tables[i]->used ? oldest(tables[i], request_key(handle)) : 0;
        for (; node; node = pool[node].next)
            if (!nth--) return &pool[node];
    }
    return NULL;
}

void lw_request_rename(MPI_Request handle, MPI_Request fresh) {
    uint32_t node = oldest(&all, request_key(handle));
    if (!node || !has_room(&all)) return;
    take_out(&all, request_key(handle), node);
    put_youngest(&all, request_key(fresh), node);
}

void lw_request_remove(MPI_Request handle) {
    uint32_t at = lw_find_among_few(handle);
    if (at < lw_few.count) {
        lw_remove_from_few(at);
        return;
    }
    struct table* table = claimed.used && oldest(&claimed, request_key(handle)) ? &claimed : &all;
    uint32_t node = oldest(table, request_key(handle));
    if (!node) return;
    take_out(table, request_key(handle), node);
    wildcards -= (pool[node].flags & LW_REQUEST_WILDCARD) != 0;
    pool[node].next = free_list;
    free_list = node;
    if (!all.used) lw_few.room = LW_FEW;
}

void lw_requests_claim(int count, const MPI_Request* handles, bool frees) {
    lw_lock();
    for (int i = 0; i < count && has_room(&claimed); i++) {
        uint64_t handle = request_key(handles[i]);
        uint32_t node = find_own(&all, handle);
        if (!node || (!frees && (pool[node].flags & LW_REQUEST_PERSISTENT))) continue;
        take_out(&all, handle, node);
        put_youngest(&claimed, handle, node);
    }
    lw_unlock();
}

void lw_requests_give_back(int count, const MPI_Request* handles) {
    if (!claimed.used) return;
    lw_lock();
    for (int i = 0; i < count && claimed.used && has_room(&all); i++) {
        uint32_t from = position_of(&claimed, request_key(handles[i]));
        const struct entry* queue = &claimed.entries[from];
        if (!queue->oldest) continue;
        struct entry* entry = &all.entries[position_of(&all, queue->handle)];
        if (entry->oldest) {
            pool[queue->youngest].next = entry->oldest;
            entry->oldest = queue->oldest;
        } else {
            *entry = *queue;
            all.used++;
        }
        remove_entry(&claimed, from);
    }
    lw_unlock();
}

void lw_requests_end_thread(void) {
    if (claimed.used) return;  // a call was left by siglongjmp
    free(claimed.entries);
    claimed = (struct table){NULL, 0, 0};
}

bool lw_requests_have_wildcards(void) { return wildcards != 0; }
