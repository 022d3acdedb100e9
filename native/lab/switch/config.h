// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#ifndef LINKWORTH_SWITCH_CONFIG_H
#define LINKWORTH_SWITCH_CONFIG_H

#include "network.h"

/// Read the description of a network from a descriptor up to its line `run`; false after a message on
/// standard error.
///
/// Lines are `seed N`, `counters PATH` and `port NAME KEY VALUE ...` with the keys netns PATH and tap DEVICE,
/// or fd N; segment N, up and down (bytes per second), delay, jitter and moderation (nanoseconds), loss
/// (share), queue (bytes), offload (0, 1).
bool config_read(int fd, struct network* network);

/// The same from lines that are given, without the line `run`; the lines are taken apart.
bool config_take(char* const* lines, size_t count, struct network* network);

#endif
