// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/crc32c.hpp"

#include <array>
#include <cstring>

namespace linkworth::tracefile {
namespace {

constexpr std::uint32_t reflected_polynomial = 0x82F63B78;

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Table make_table() {
    Table table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? reflected_polynomial : 0);
        table[0][byte] = crc;
    }
    for (std::size_t slice = 1; slice < 8; ++slice) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = table[slice - 1][byte];
            table[slice][byte] = (before >> 8) ^ table[0][before & 0xff];
        }
    }
    return table;
}

constexpr Table crc_table = make_table();

}  // namespace

std::uint32_t crc32c(std::uint32_t crc, const void* data, std::size_t size) {
    const auto* at = static_cast<const std::uint8_t*>(data);
    crc = ~crc;
    for (; size >= 8; size -= 8, at += 8) {
        std::uint64_t word;
        std::memcpy(&word, at, 8);
        word ^= crc;
        crc = 0;
        for (std::size_t byte = 0; byte < 8; ++byte) crc ^= crc_table[7 - byte][(word >> (8 * byte)) & 0xff];
    }
    for (; size > 0; --size, ++at) crc = (crc >> 8) ^ crc_table[0][(crc ^ *at) & 0xff];
    return ~crc;
}

}  // namespace linkworth::tracefile
