// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#ifndef LINKWORTH_SWITCH_COUNTERS_H
#define LINKWORTH_SWITCH_COUNTERS_H

#include "network.h"

/// Write the counters of each port as a table, one line a port, under the path of the network; by atomic
/// rename.
void counters_write(const struct network* network);

#endif
