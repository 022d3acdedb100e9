// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Events of a block's columns by vector instructions, where the processor has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tracefile/column_layout.hpp"
#include "tracefile/event_row.hpp"

namespace linkworth::tracefile {

/// What a 64-bit word holds wherever in a byte it begins.
inline constexpr std::uint64_t most_bits_at_once = 56;
/// Below this a double holds whole numbers and their halves.
inline constexpr std::uint64_t exact_ticks = std::uint64_t{1} << 52;

/// Events read at once.
inline constexpr std::size_t batch_rows = 32;

/// The next events of a block whose heads have one byte each and whose CPU times are what is missing from the
/// gap, in units of 2^`cpu_shift` ticks of one nanosecond.
struct RowBatch {
    const std::uint8_t* heads = nullptr;
    std::span<const ShapeColumns> columns;   ///< by shape
    std::span<const std::uint8_t*> symbols;  ///< by column: the next one; moved on
    const std::uint8_t* bits = nullptr;
    std::uint64_t next_bit = 0;  ///< moved on
    unsigned cpu_shift = 0;
    double seconds_per_tick = 0;
    std::size_t lanes = 0;  ///< at most `batch_lanes()`
};

/// Events of which this processor's instructions compute the times at once: 8 (AVX-512), 4 (AVX2), or 0 where
/// it cannot read batches.
std::size_t batch_lanes();

/// Fills `rows`. False, and nothing is read, where a time is too long for this way of reading it. Not where
/// `batch_lanes` is 0.
bool read_batch(RowBatch& batch, std::span<EventRow, batch_rows> rows);

}  // namespace linkworth::tracefile
