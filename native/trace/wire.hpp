// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Little-endian integers in raw bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace linkworth::tracefile {

static_assert(std::endian::native == std::endian::little,
              "the trace format is read in place on little-endian machines");

template <class T>
T load(const std::uint8_t* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class T>
void store(std::uint8_t* at, T value) {
    std::memcpy(at, &value, sizeof value);
}

}  // namespace linkworth::tracefile
