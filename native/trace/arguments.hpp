// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Columns of what differs between the messages of an irregular program (docs/reference/trace-format.md,
/// "Arguments").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calls/event.hpp"
#include "trace/event_records.hpp"
#include "trace/event_row.hpp"
#include "trace/time_symbols.hpp"

namespace linkworth::tracefile {

class ByteReader;

/// Columns of an open shape: peers, tags, bytes.
inline constexpr std::size_t argument_count = 3;
/// Limit for the values of one kind in a block, so that three places in their lists are read at once.
inline constexpr std::size_t most_values = 1U << 20;

/// Returns whether the calls of a shape can leave their peer, tag and bytes to columns. Wildcards cannot:
/// some of them are followed by what they matched.
bool can_open(const Shape& shape);

/// Leaves the peers, tags and bytes of messages to columns if they make so many shapes that heads need more
/// than a byte. Shapes get new numbers.
void open_shapes(EventRecords& records);

/// Values that occur, in rising order: peers, tags, bytes.
using ArgumentValues = std::array<std::vector<std::uint64_t>, argument_count>;
ArgumentValues values_of(const std::vector<Arguments>& arguments);
/// Places of a call's arguments in these lists.
std::array<std::uint64_t, argument_count> places_of(const ArgumentValues& values, const Arguments& call);
void write_values(const ArgumentValues& values, std::vector<std::uint8_t>& out);

/// Reads the columns of a block's open shapes.
class ArgumentDecoder {
  public:
    void clear();
    /// Returns false if they are no values that calls can have.
    bool read_values(ByteReader& in);
    /// `column`: the first one of the shape, 0 if it is not open.
    void add_shape(std::uint32_t column);
    bool any() const { return any_; }
    std::uint32_t column_of(std::size_t shape) const { return columns_[shape]; }
    /// Makes room for what the symbols of the column may mean. Returns false if they are for too many values.
    bool allow(std::size_t argument, std::span<const std::uint8_t> symbols);
    /// Fills `out` for those of `rows` that have open shapes. Returns false if a place in a list of values is
    /// beyond its end.
    bool read(std::span<EventRow> rows, std::span<const std::uint8_t*> symbols, const std::uint8_t* bits,
              std::span<Arguments> out);

  private:
    std::vector<std::uint32_t> columns_;  ///< by shape
    ArgumentValues values_;  ///< with zeros beyond the last one, for every place that can be read
    std::array<std::uint64_t, argument_count> counts_{};
    std::uint64_t next_bit_ = 0;
    bool any_ = false;
};

}  // namespace linkworth::tracefile
