// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Writes a block column by column (docs/reference/trace-format.md, "Columns").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/arguments.hpp"
#include "trace/column_layout.hpp"
#include "trace/event_records.hpp"
#include "trace/time_symbols.hpp"
#include "trace/zstd.hpp"

namespace linkworth::tracefile {

/// Keeps its working memory between blocks. Do not share it between threads.
class ColumnEncoder {
  public:
    /// Fills `out` with the columns of a block of records, stored as they are without a compressor. Returns
    /// false if columns cannot express the records.
    bool encode(std::span<const std::uint8_t> records, double seconds_per_tick, Compressor* compressor,
                std::vector<std::uint8_t>& out);

  private:
    void choose_columns();
    void fill_columns(double nanoseconds_per_tick);
    void write_preamble();
    void write_values();
    void write_heads();
    void add_arguments(Compressor* compressor);
    void add_section(std::span<const std::uint8_t> bytes, Compressor* compressor);
    void add_symbols(std::span<const std::uint8_t> bytes, Compressor* compressor);
    void add(std::span<const std::uint8_t> bytes, bool is_compressed);

    EventRecords records_;
    std::vector<ShapeColumns> columns_;  ///< by shape
    std::array<std::vector<std::uint64_t>, argument_count> values_;
    std::vector<std::vector<std::uint8_t>> symbols_;
    std::vector<std::uint8_t*> next_;  ///< by column: where its next symbol goes
    std::size_t used_columns_ = 0;
    std::uint64_t cpu_step_ = 1;
    BitWriter bits_;
    std::vector<std::uint8_t> scratch_;
    std::vector<std::uint8_t> compressed_;
    std::vector<std::uint8_t> directory_;
    std::vector<std::uint8_t> sections_;
    std::uint64_t section_count_ = 0;
};

}  // namespace linkworth::tracefile
