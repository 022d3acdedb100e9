// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// CRC-32C (Castagnoli polynomial 0x1EDC6F41, reflected; RFC 3720, appendix B.4).
#pragma once

#include <cstddef>
#include <cstdint>

namespace linkworth::tracefile {

/// Continues `crc` (0 at the start) over `size` bytes.
std::uint32_t crc32c(std::uint32_t crc, const void* data, std::size_t size);

}  // namespace linkworth::tracefile
