// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Conventions that the writer and the reader of columns share (docs/reference/trace-format.md, "Columns").
#pragma once

#include <cstddef>
#include <cstdint>

namespace linkworth::tracefile {

/// The first sections of a block; after them one section per column of symbols.
inline constexpr std::size_t section_preamble = 0;
inline constexpr std::size_t section_heads = 1;
inline constexpr std::size_t section_bits = 2;
inline constexpr std::size_t section_columns = 3;

/// The first column of symbols contains CPU times; a shape names its other ones.
inline constexpr std::uint32_t cpu_column = 0;

/// With more shapes a head needs more than a byte.
inline constexpr std::size_t most_shapes_of_a_byte = 128;

/// Bytes of an event's head, which is 2 x shape + (1 if it has CPU time).
constexpr std::size_t head_width(std::size_t shapes) {
    return shapes <= most_shapes_of_a_byte ? 1 : shapes <= 32768 ? 2 : 4;
}

/// Returns the CPU time of a gap in which the process ran all the time, in units of `step` nanoseconds. The
/// file stores the difference from it.
inline std::uint64_t expected_cpu(std::uint64_t gap_ticks, double nanoseconds_per_tick, std::uint64_t step) {
    const double nanoseconds =
        static_cast<double>(static_cast<std::int64_t>(gap_ticks)) * nanoseconds_per_tick;
    const double steps = nanoseconds / static_cast<double>(step);
    return steps >= 0 && steps < 9e18 ? static_cast<std::uint64_t>(steps + 0.5) : 0;
}

/// Columns with the symbols of a shape's events.
struct ShapeColumns {
    std::uint32_t gap = 0;
    std::uint32_t duration = 0;
};

}  // namespace linkworth::tracefile
