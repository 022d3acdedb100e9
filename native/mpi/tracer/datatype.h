// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Sizes of datatypes, with a small memory: asking the library costs more than recording a call.
#ifndef LINKWORTH_DATATYPE_H
#define LINKWORTH_DATATYPE_H

#include "record.h"

#pragma GCC visibility push(hidden)

/// True size in bytes of one element, without gaps. Under the lock.
uint64_t lw_type_size(MPI_Datatype datatype);
/// Call before MPI_Type_free: the handle may come back for another datatype. Takes the lock.
void lw_type_forget(MPI_Datatype datatype);

#pragma GCC visibility pop
#endif
