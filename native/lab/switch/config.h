// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#ifndef LINKWORTH_SWITCH_CONFIG_H
#define LINKWORTH_SWITCH_CONFIG_H

#include "network.h"

/// Read the description of a network as linkworth.lab.switch writes it; false after a message on standard
/// error.
///
/// The words are the seed, the path of the counters ("" for none), and one for each port: its name, its
/// network namespace and device, the descriptor to use instead of these (-1: none), segment, loss (share),
/// offload (0, 1), rate (bytes per second), delay, jitter and moderation (nanoseconds), and queue (bytes).
bool config_read(char* const* words, size_t count, struct network* network);

#endif
