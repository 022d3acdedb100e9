// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Functions and objects of the MPI library that the program loaded. Needs no header of MPI.
#ifndef LINKWORTH_LIBRARY_SYMBOL_H
#define LINKWORTH_LIBRARY_SYMBOL_H

#pragma GCC visibility push(hidden)

/// Returns the address of NAME (for example "PMPI_Send") in the MPI library, never in this preload library.
/// NULL if it has none.
void* lw_library_symbol(const char* name);

#pragma GCC visibility pop
#endif
