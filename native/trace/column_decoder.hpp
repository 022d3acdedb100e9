// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Reads a block that was written column by column (docs/reference/trace-format.md, "Columns").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/arguments.hpp"
#include "trace/event_records.hpp"
#include "trace/event_row.hpp"
#include "trace/row_batch.hpp"
#include "trace/zstd.hpp"

namespace linkworth::tracefile {

/// Everything of a block is checked when it is opened, so that reading its events needs no checks.
class ColumnDecoder {
  public:
    /// Returns false if `stored` is no sound block of so many events. Throws TraceError if Zstandard is
    /// missing.
    bool open(std::span<const std::uint8_t> stored, std::uint32_t events, double seconds_per_tick,
              Decompressor& decompressor);

    /// Payloads of the block's shapes, by number. They are valid until the next block is opened.
    const std::vector<std::span<const std::uint8_t>>& shapes() const { return shapes_; }
    bool is_open(std::size_t shape) const { return arguments_.is_open(shape); }
    /// Fills `rows` with the next events, `notes` with their notes, by number of the row, and `arguments`,
    /// by row, for those of open shapes. Returns the number of rows.
    std::size_t read(std::span<EventRow> rows, std::vector<EventNote>& notes,
                     std::vector<Arguments>& arguments);
    /// False once an event had an argument that the block does not list.
    bool sound() const { return sound_; }
    /// Decodes events one by one, even if the processor could decode several at once.
    void read_one_by_one() { in_batches_ = false; }

  private:
    struct Section {
        std::size_t offset = 0;  ///< in `memory_`
        std::size_t size = 0;
    };

    bool expand_sections(std::span<const std::uint8_t> stored, Decompressor& decompressor);
    bool read_preamble();
    bool counts_agree();
    void read_heads(std::size_t first, RowBatch::Heads& heads) const;
    bool count_heads(std::vector<std::uint64_t>& of_head) const;
    void read_singly(const RowBatch::Heads& heads, std::span<EventRow> rows);
    std::span<const std::uint8_t> bytes_of(const Section& section) const {
        return {memory_.data() + section.offset, section.size};
    }

    std::vector<std::uint8_t> memory_;
    std::vector<Section> sections_;
    std::vector<std::span<const std::uint8_t>> shapes_;
    std::vector<ShapeColumns> columns_;         ///< by shape
    std::vector<const std::uint8_t*> symbols_;  ///< by column: the next one
    ArgumentDecoder arguments_;
    std::vector<EventNote> notes_;
    std::size_t head_width_ = 1;
    std::size_t events_ = 0;
    std::size_t next_ = 0;
    std::size_t next_note_ = 0;
    std::uint64_t next_bit_ = 0;
    std::uint64_t cpu_step_ = 1;
    bool sound_ = true;
    bool cpu_expects_the_gap_ = false;  ///< a tick is one CPU step, so that there is nothing to convert
    double seconds_per_tick_ = 0;
    bool in_batches_ = has_batches();
};

}  // namespace linkworth::tracefile
