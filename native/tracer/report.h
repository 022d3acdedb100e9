// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Reports how many ranks MPI found, so that copies of rank 0 of 1 are noticed. Needs no header of MPI.
#ifndef LINKWORTH_REPORT_H
#define LINKWORTH_REPORT_H

#pragma GCC visibility push(hidden)

/// Appends the line "RANKS VERSION" to the file that LINKWORTH_RANKS names; only rank 0 of a program calls
/// it. RANKS is 0 if this process loaded another MPI library than the one that the preload library was built
/// for.
void lw_report_ranks(int ranks);

#pragma GCC visibility pop
#endif
