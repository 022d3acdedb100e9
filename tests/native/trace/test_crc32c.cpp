// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/crc32c.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace linkworth::tests {
namespace {

using tracefile::crc32c;

TEST(Crc32c, GivesThePublishedValues) {
    // RFC 3720, appendix B.4.
    const std::vector<std::uint8_t> zeros(32, 0);
    const std::vector<std::uint8_t> ones(32, 0xff);
    EXPECT_EQ(crc32c(0, zeros.data(), zeros.size()), 0x8A9136AAU);
    EXPECT_EQ(crc32c(0, ones.data(), ones.size()), 0x62A8AB43U);
    EXPECT_EQ(crc32c(0, "123456789", 9), 0xE3069283U);
}

TEST(Crc32c, CanBeContinuedByteByByteFromAnyOffset) {
    std::vector<std::uint8_t> bytes(300);
    for (std::size_t item = 0; item < bytes.size(); ++item)
        bytes[item] = static_cast<std::uint8_t>(item * 167 + 13);
    for (std::size_t start = 0; start < 9; ++start) {
        std::uint32_t single = 0;
        for (std::size_t size = 0; size + start < bytes.size(); ++size) {
            ASSERT_EQ(crc32c(0, bytes.data() + start, size), single);
            single = crc32c(single, bytes.data() + start + size, 1);
        }
    }
}

}  // namespace
}  // namespace linkworth::tests
