// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Decoding of a block's columns by vector instructions, if the processor has them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tracefile/column_layout.hpp"
#include "tracefile/event_row.hpp"

namespace linkworth::tracefile {

/// Bits that a 64-bit word contains, wherever in a byte they begin.
inline constexpr std::uint64_t most_bits_at_once = 56;
/// Below this a double can represent whole numbers and their halves.
inline constexpr std::uint64_t exact_ticks = std::uint64_t{1} << 52;

/// Events read at once.
inline constexpr std::size_t batch_rows = 32;

/// So many bytes after a block's symbols and bits may be read with them.
inline constexpr std::size_t batch_padding = 64;

/// Events whose times are computed at once.
inline constexpr std::size_t avx2_lanes = 4;
inline constexpr std::size_t avx512_lanes = 8;

inline constexpr std::size_t most_byte_shapes = 128;
/// With more, searching the events of each column takes longer than searching the column of each event.
inline constexpr std::size_t most_byte_columns = 64;

/// The columns of shapes in bytes: `most_byte_shapes` at most, none of which names the column of CPU times.
struct ByteColumns {
    std::array<std::uint8_t, most_byte_shapes> gap{};
    std::array<std::uint8_t, most_byte_shapes> duration{};
};

/// The next events of a block whose heads have one byte each. CPU times are stored as the difference from the
/// gap, in units of 2^`cpu_shift` ticks of one nanosecond.
struct RowBatch {
    const std::uint8_t* heads = nullptr;
    std::span<const ShapeColumns> columns;      ///< by shape
    std::span<const std::uint8_t*> symbols;     ///< by column: the next one; moved on
    const ByteColumns* byte_columns = nullptr;  ///< the same as `columns`; null if there are too many
    const std::uint8_t* bits = nullptr;
    std::uint64_t next_bit = 0;  ///< moved on
    unsigned cpu_shift = 0;
    double seconds_per_tick = 0;
    std::size_t lanes = 0;  ///< at most `batch_lanes()`
};

/// Returns `avx512_lanes`, `avx2_lanes`, or 0 if this processor cannot read batches.
std::size_t batch_lanes();

/// Fills `rows`. Returns false, and reads nothing, if a time is too long for this way of reading it. Do not
/// call it if `batch_lanes` is 0.
bool read_batch(RowBatch& batch, std::span<EventRow, batch_rows> rows);

/// The ways of `read_batch`.
bool read_batch_by_avx2(RowBatch& batch, std::span<EventRow, batch_rows> rows);
bool read_batch_by_avx512(RowBatch& batch, std::span<EventRow, batch_rows> rows);
/// Moves the columns of gaps and durations back to where they were before the batch.
void give_back(RowBatch& batch);

}  // namespace linkworth::tracefile
