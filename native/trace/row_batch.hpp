// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Decoding of a block's columns by vector instructions, if the processor has them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "trace/column_layout.hpp"
#include "trace/event_row.hpp"

namespace linkworth::tracefile {

/// Bits that a 64-bit word contains, wherever in a byte they begin.
inline constexpr std::uint64_t most_bits_at_once = 56;
/// Below this a double can represent whole numbers and their halves.
inline constexpr std::uint64_t exact_ticks = std::uint64_t{1} << 52;

/// Events read at once.
inline constexpr std::size_t batch_rows = 32;

/// So many bytes after a block's heads, symbols and bits may be read with them.
inline constexpr std::size_t batch_padding = batch_rows * sizeof(std::uint32_t);

/// The next events of a block. CPU times are stored as the difference from the gap, in units of 2^`cpu_shift`
/// ticks of one nanosecond.
struct RowBatch {
    using Heads = std::array<std::uint32_t, batch_rows>;

    Heads heads;
    std::span<const ShapeColumns> columns;   ///< by shape
    std::span<const std::uint8_t*> symbols;  ///< by column: the next one; moved on
    const std::uint8_t* bits = nullptr;
    std::uint64_t next_bit = 0;  ///< moved on
    unsigned cpu_shift = 0;
    double seconds_per_tick = 0;
};

/// Returns whether this processor can read batches.
bool has_batches();

/// Fills `rows`. Returns false, and reads nothing, if a time is too long for this way of reading it. Call it
/// only if `has_batches()`.
bool read_batch(RowBatch& batch, std::span<EventRow, batch_rows> rows);

}  // namespace linkworth::tracefile
