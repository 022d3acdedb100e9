// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#ifndef LINKWORTH_SWITCH_FORWARD_H
#define LINKWORTH_SWITCH_FORWARD_H

#include "network.h"

/// Ports behind which addresses were last seen.
struct addresses;

/// Return NULL if no memory is left.
struct addresses* addresses_new(void);
void addresses_free(struct addresses* addresses);

/// Take a frame that came from a node at a time (ns), and queue it for all nodes that it goes to.
void forward_up(struct network* network, struct addresses* addresses, size_t source,
                const unsigned char* bytes, uint32_t length, int64_t now);

/// Move on everything that is due by `now` and a margin; returns the time of the next event, or INT64_MAX.
int64_t forward_due(struct network* network, int64_t now, int64_t margin);

#endif
