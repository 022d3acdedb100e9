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

namespace linkworth::tracefile {

class ByteReader;

/// Bytes of a place in a list of so many values. Each is in a column of its own.
constexpr std::size_t place_bytes(std::size_t values) {
    std::size_t bytes = 1;
    while (bytes < sizeof values && values > std::size_t{1} << (8 * bytes)) ++bytes;
    return bytes;
}

/// Returns whether the calls of a shape can leave their peer, tag and bytes to columns. Wildcards cannot:
/// some of them are followed by what they matched.
bool can_open(const Shape& shape);

/// Leaves the peers, tags and bytes of messages to columns if they make so many shapes that heads need more
/// than a byte. Shapes get new numbers.
void open_shapes(EventRecords& records);

/// Reads the columns of arguments.
class ArgumentDecoder {
  public:
    void clear();
    void add_shape(bool is_open) { is_open_.push_back(is_open ? 1 : 0); }
    bool is_open(std::size_t shape) const { return is_open_[shape] != 0; }
    /// Returns false if they are no values that calls can have.
    bool read_values(ByteReader& in);
    /// Number of columns: 0 if no shape is open.
    std::size_t columns() const { return lists_[0].columns + lists_[1].columns + lists_[2].columns; }
    /// Sets these columns, which have a byte for each event of an open shape.
    void set_columns(std::span<const std::uint8_t* const> columns);
    /// Fills `out` for those of `rows` that have open shapes. Returns false if a place in a list of values is
    /// beyond its end.
    bool read(std::span<EventRow> rows, std::span<Arguments> out);

  private:
    struct List {
        std::vector<std::uint64_t> values;
        std::size_t columns = 0;
        std::array<const std::uint8_t*, sizeof(std::size_t)> bytes{};  ///< of places, the lowest ones first
    };

    std::vector<std::uint8_t> is_open_;  ///< by shape
    std::array<List, argument_count> lists_;
    std::size_t next_ = 0;  ///< of the events with arguments
};

}  // namespace linkworth::tracefile
