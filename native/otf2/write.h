// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The writing half of the interface.
#ifndef LINKWORTH_OTF2_WRITE_H
#define LINKWORTH_OTF2_WRITE_H

#include "linkworth_otf2.h"

void write_functions(struct lw_otf2_interface* interface);

#endif
