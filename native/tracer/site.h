// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Call sites: the places in the program that make calls. A name at a site is an entry of its own in the
/// part's table of names, which grows while the program runs (docs/reference/trace-format.md).
#ifndef LINKWORTH_SITE_H
#define LINKWORTH_SITE_H

#include "part.h"
#include "record.h"

#pragma GCC visibility push(hidden)

/// Opens the table of names for more entries, which follow the procedures' own.
void lw_sites_begin(struct lw_part_header* header);
/// Returns the number of the call's name at its site, or of the name alone if the site is not known or the
/// table is full. Under the lock.
uint32_t lw_site_entry(const struct lw_call* call);

#pragma GCC visibility pop
#endif
