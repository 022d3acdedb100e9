// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Shapes of a block that is being written. Finds the number of a payload that the block already contains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linkworth::tracefile {

class ShapeTable {
  public:
    static constexpr std::uint32_t absent = UINT32_MAX;

    /// Returns the number of the shape whose payload in `block` equals `payload`, else `absent`.
    std::uint32_t find(std::span<const std::uint8_t> payload, const std::vector<std::uint8_t>& block) const;
    /// Adds the payload at `offset` in the block; returns its number.
    std::uint32_t add(std::span<const std::uint8_t> payload, std::size_t offset);
    void clear();

  private:
    struct Entry {
        std::uint64_t hash;
        std::size_t offset;
        std::size_t size;
    };

    void grow();

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> slots_;  ///< number + 1, 0 if free; the size is a power of two
};

}  // namespace linkworth::tracefile
