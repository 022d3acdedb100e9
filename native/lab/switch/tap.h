// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#ifndef LINKWORTH_SWITCH_TAP_H
#define LINKWORTH_SWITCH_TAP_H

#include "network.h"

/// Make the TAP device of a port in its network namespace, or take the descriptor given; false after a
/// message.
///
/// The device lives as long as the descriptor, so that nothing is left when the switch is killed.
bool tap_open(struct port* port, int own_namespace);

/// Bytes that a frame takes on the wire, the headers of all segments included, and in how many segments.
uint32_t tap_wire_bytes(const struct port* port, const unsigned char* bytes, uint32_t length,
                        uint32_t* segments);

#endif
