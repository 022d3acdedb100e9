// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Sizes of datatypes, with a small memory: asking the library costs more than recording a call.
#ifndef LINKWORTH_DATATYPE_H
#define LINKWORTH_DATATYPE_H

#include "record.h"

#pragma GCC visibility push(hidden)

/// The datatype of the latest lw_known_bytes.
struct lw_known_type {
    uint64_t handle_and_one;  ///< 0: none
    uint64_t size;
};
extern struct lw_known_type lw_known_type;

/// True size in bytes of one element, without gaps. Under the lock.
uint64_t lw_type_size(MPI_Datatype datatype);
/// Call before MPI_Type_free: the handle may come back for another datatype. Takes the lock.
void lw_type_forget(MPI_Datatype datatype);

/// Bytes of COUNT elements. On the fast way (wrapper.h) only.
LW_INLINE uint64_t lw_known_bytes(MPI_Count count, MPI_Datatype datatype) {
    uint64_t handle = (uint64_t)(uintptr_t)datatype + 1;
    if (__builtin_expect(lw_known_type.handle_and_one != handle, 0))
        lw_known_type = (struct lw_known_type){handle, lw_type_size(datatype)};
    return count > 0 ? (uint64_t)count * lw_known_type.size : 0;
}

#pragma GCC visibility pop
#endif
