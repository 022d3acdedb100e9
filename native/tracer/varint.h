// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Variable-length integers of the trace format: unsigned LEB128, and zigzag for signed ones.
#ifndef LINKWORTH_VARINT_H
#define LINKWORTH_VARINT_H

#include <stdint.h>

enum { LW_VARINT_MOST_BYTES = 10 };

static inline uint8_t* lw_put(uint8_t* at, uint64_t value) {
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static inline uint8_t* lw_put_signed(uint8_t* at, int64_t value) {
    return lw_put(at, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

#endif
