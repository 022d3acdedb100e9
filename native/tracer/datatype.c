// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "datatype.h"

#include "repeat.h"

enum { SLOTS = 64 };

struct lw_known_type lw_known_type;

static struct {
    uint64_t handle_and_one;  // 0: empty
    uint64_t size;
} slots[SLOTS];

static unsigned slot_of(uint64_t handle) { return (unsigned)((handle * 0x9e3779b97f4a7c15u) >> 58) % SLOTS; }

uint64_t lw_type_size(MPI_Datatype datatype) {
    uint64_t handle = (uint64_t)(uintptr_t)datatype + 1;
    unsigned i = slot_of(handle);
    if (slots[i].handle_and_one != handle) {
        MPI_Count size = 0;
        lw_mpi.type_size_x(datatype, &size);
        slots[i].handle_and_one = handle;
        slots[i].size = size > 0 ? (uint64_t)size : 0;
    }
    return slots[i].size;
}

void lw_type_forget(MPI_Datatype datatype) {
    uint64_t handle = (uint64_t)(uintptr_t)datatype + 1;
    unsigned i = slot_of(handle);
    lw_lock();
    if (slots[i].handle_and_one == handle) slots[i].handle_and_one = 0;
    if (lw_known_type.handle_and_one == handle) lw_known_type.handle_and_one = 0;
    lw_handles_changed();
    lw_unlock();
}
