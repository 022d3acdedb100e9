// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "window.h"

#include "communicator.h"
#include "datatype.h"
#include "rank.h"
#include "request.h"

#include <stdlib.h>

struct window {
    uint64_t handle;
    uint32_t number;
};

// A linear search is enough, because few windows are alive at a time.
static struct window* windows;
static uint32_t window_count, window_capacity, latest_window, next_window;

static uint64_t window_key(MPI_Win handle) { return (uint64_t)(uintptr_t)handle; }

static void keep_window(MPI_Win handle, uint32_t number) {
    if (window_count == window_capacity) {
        uint32_t larger = window_capacity ? window_capacity * 2 : 16;
        struct window* fresh = realloc(windows, larger * sizeof *fresh);
        if (!fresh) return;
        windows = fresh;
        window_capacity = larger;
    }
    windows[window_count] = (struct window){window_key(handle), number};
    latest_window = window_count++;
}

static const struct window* find(MPI_Win handle) {
    uint64_t key = window_key(handle);
    if (__builtin_expect(latest_window < window_count && windows[latest_window].handle == key, 1))
        return &windows[latest_window];
    for (uint32_t i = 0; i < window_count; i++)
        if (windows[i].handle == key) {
            latest_window = i;
            return &windows[i];
        }
    return NULL;
}

void lw_record_win_new(struct lw_call* call, MPI_Comm comm_handle, MPI_Aint bytes, const MPI_Win* window) {
    lw_lock();
    const struct lw_comm* comm = lw_comm_find(comm_handle);
    uint8_t* at =
        comm && call->succeeded ? lw_payload_begin(call, LW_WIN_NEW, 3 * LW_VARINT_MOST_BYTES) : NULL;
    if (at) {
        uint32_t number = next_window++;
        at = lw_put(at, comm->number);
        at = lw_put(at, (uint64_t)number + 1);
        lw_write(call, lw_put(at, bytes > 0 ? (uint64_t)bytes : 0));
        keep_window(*window, number);
    } else {
        lw_write_local(call);
    }
    lw_unlock();
}

uint32_t lw_win_forget(MPI_Win handle) {
    uint32_t number_and_one = 0;
    lw_lock();
    const struct window* window = find(handle);
    if (window) {
        number_and_one = window->number + 1;
        windows[window - windows] = windows[--window_count];
        latest_window = 0;
    }
    lw_unlock();
    return number_and_one;
}

void lw_record_win_free(struct lw_call* call, MPI_Win handle, uint32_t number_and_one) {
    lw_lock();
    if (number_and_one && call->succeeded) {
        uint8_t* at = lw_payload_begin(call, LW_WIN_FREE, LW_VARINT_MOST_BYTES);
        lw_write(call, at ? lw_put(at, number_and_one - 1) : NULL);
    } else {
        if (number_and_one) keep_window(handle, number_and_one - 1);
        lw_write_local(call);
    }
    lw_unlock();
}

static uint64_t extent_bytes(struct lw_extent extent) {
    return extent.count > 0 ? (uint64_t)extent.count * lw_type_size(extent.datatype) : 0;
}

// Takes the lock and finds the window; without one (or after an error) the call is recorded as a local one.
static const struct window* begin_access(struct lw_call* call, MPI_Win handle) {
    lw_lock();
    const struct window* window = call->succeeded ? find(handle) : NULL;
    if (!window) {
        lw_write_local(call);
        lw_unlock();
    }
    return window;
}

static void end_transfer(struct lw_call* call, const struct window* window, struct lw_target target,
                         enum lw_rma_operation operation, uint64_t sent, uint64_t received) {
    uint8_t* at = lw_payload_begin(call, target.request ? LW_IRMA : LW_RMA, 5 * LW_VARINT_MOST_BYTES);
    if (at) {
        *at++ = (uint8_t)operation;
        at = lw_put(at, window->number);
        at = lw_put_signed(at, lw_rank(target.rank));
        at = lw_put(at, sent);
        at = lw_put(at, received);
    }
    lw_write(call, at);
    if (target.request) lw_request_add(*target.request, 0);
    lw_unlock();
}

void lw_record_put(struct lw_call* call, struct lw_target target, struct lw_extent origin) {
    const struct window* window = begin_access(call, target.window);
    if (window) end_transfer(call, window, target, LW_PUT, extent_bytes(origin), 0);
}

void lw_record_get(struct lw_call* call, struct lw_target target, struct lw_extent origin) {
    const struct window* window = begin_access(call, target.window);
    if (window) end_transfer(call, window, target, LW_GET, 0, extent_bytes(origin));
}

void lw_record_accumulate(struct lw_call* call, struct lw_target target, struct lw_extent origin) {
    const struct window* window = begin_access(call, target.window);
    if (window) end_transfer(call, window, target, LW_ACCUMULATE, extent_bytes(origin), 0);
}

void lw_record_fetch(struct lw_call* call, struct lw_target target, struct lw_extent origin,
                     struct lw_extent result, MPI_Op operation) {
    const struct window* window = begin_access(call, target.window);
    if (!window) return;
    // The origin's buffer and datatype are not significant then, and may be anything.
    uint64_t sent = operation == lw_mpi.no_op ? 0 : extent_bytes(origin);
    end_transfer(call, window, target, LW_FETCH, sent, extent_bytes(result));
}

void lw_record_compare_and_swap(struct lw_call* call, struct lw_target target, MPI_Datatype datatype) {
    const struct window* window = begin_access(call, target.window);
    if (!window) return;
    uint64_t bytes = lw_type_size(datatype);
    // The new value and the one to compare with go, the old one comes back.
    end_transfer(call, window, target, LW_FETCH, 2 * bytes, bytes);
}

static uint8_t* put_sync(uint8_t* at, const struct window* window, enum lw_win_sync_kind kind, int rank,
                         bool flag) {
    *at++ = (uint8_t)kind;
    at = lw_put(at, window->number);
    at = lw_put_signed(at, rank);
    *at++ = flag;
    return at;
}

void lw_record_win_sync(struct lw_call* call, enum lw_win_sync_kind kind, MPI_Win handle, int rank,
                        bool flag) {
    const struct window* window = begin_access(call, handle);
    if (!window) return;
    uint8_t* at = lw_payload_begin(call, LW_WIN_SYNC, 5 * LW_VARINT_MOST_BYTES);
    if (at) {
        at = put_sync(at, window, kind, rank == LW_ALL_TARGETS ? LW_ANY : lw_rank(rank), flag);
        at = lw_put(at, 0);
    }
    lw_write(call, at);
    lw_unlock();
}

void lw_record_win_group(struct lw_call* call, enum lw_win_sync_kind kind, MPI_Win handle, MPI_Group group) {
    const struct window* window = begin_access(call, handle);
    if (!window) return;
    int size = 0;
    MPI_Group whole;
    lw_mpi.win_get_group(handle, &whole);
    int* ranks = lw_ranks_of(group, whole, &size);
    lw_mpi.group_free(&whole);
    uint8_t* at =
        ranks ? lw_payload_begin(call, LW_WIN_SYNC, ((size_t)size + 5) * LW_VARINT_MOST_BYTES) : NULL;
    if (at) {
        at = put_sync(at, window, kind, LW_ANY, false);
        at = lw_put(at, (uint64_t)size);
        for (int i = 0; i < size; i++) at = lw_put_signed(at, lw_rank(ranks[i]));
    }
    lw_write(call, at);
    free(ranks);
    lw_unlock();
}
