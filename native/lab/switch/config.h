// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#ifndef LINKWORTH_SWITCH_CONFIG_H
#define LINKWORTH_SWITCH_CONFIG_H

#include "network.h"

/// Read the description of a network; false after a message on standard error. The lines are taken apart.
///
/// Lines are `seed N`, `counters PATH` and `port NAME KEY VALUE ...` with the keys netns PATH and tap DEVICE,
/// or fd N; segment N, down (bytes per second), delay, jitter and moderation (nanoseconds), loss
/// (share), queue (bytes), offload (0, 1).
bool config_read(char* const* lines, size_t count, struct network* network);

#endif
