// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "tracefile/column_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tracefile/column_layout.hpp"
#include "tracefile/varint.hpp"
#include "tracefile/wire.hpp"

namespace linkworth::tracefile {
namespace {

/// Fewer events do not pay for a column's own statistics; more columns cost time in reading.
constexpr std::size_t fewest_events = 256;
constexpr std::size_t most_columns = 12;
/// Zstandard takes some ten bytes for itself.
constexpr std::size_t least_compressed = 16;

struct ShapeTimes {
    std::uint64_t events = 0;
    std::uint64_t symbols = 0;  ///< their sum
};

}  // namespace

/// Shapes whose times are about as long share a column: gives each shape its own, from `first` on, as their
/// symbols tell. Returns how many columns there are then.
template <class Of>
std::size_t ColumnEncoder::group_shapes(const std::vector<std::uint64_t>& times, std::size_t first, Of of) {
    std::vector<ShapeTimes> shapes(records_.shapes.size());
    for (std::size_t event = 0; event < times.size(); ++event) {
        ShapeTimes& shape = shapes[records_.heads[event] >> 1];
        ++shape.events;
        shape.symbols += symbol_of(times[event]);
    }
    std::vector<std::uint32_t> order(shapes.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto mean = [&shapes](std::uint32_t shape) {
        const ShapeTimes& all = shapes[shape];
        return static_cast<double>(all.symbols) / static_cast<double>(std::max<std::uint64_t>(all.events, 1));
    };
    std::ranges::stable_sort(order, {}, mean);
    const std::uint64_t enough = std::max(fewest_events, times.size() / most_columns);
    std::uint64_t events = 0;
    for (const std::uint32_t shape : order) {
        if (events >= enough) {
            ++first;
            events = 0;
        }
        of(columns_[shape]) = static_cast<std::uint32_t>(first);
        events += shapes[shape].events;
    }
    return first + 1;
}

void ColumnEncoder::choose_columns() {
    columns_.assign(records_.shapes.size(), {});
    used_columns_ = group_shapes(records_.gaps, cpu_column + 1, [](Columns& of) -> auto& { return of.gap; });
    used_columns_ =
        group_shapes(records_.durations, used_columns_, [](Columns& of) -> auto& { return of.duration; });
    symbols_.resize(std::max(symbols_.size(), used_columns_));
    for (auto& column : symbols_) {
        column.clear();
    }
}

void ColumnEncoder::fill_columns(double nanoseconds_per_tick) {
    // A trace whose times were rounded has CPU times in the same steps.
    const auto step = static_cast<std::uint64_t>(std::max(1.0, std::round(nanoseconds_per_tick)));
    const bool in_steps =
        std::ranges::all_of(records_.cpu, [step](std::uint64_t cpu) { return cpu % step == 0; });
    cpu_step_ = in_steps ? step : 1;
    bits_.clear();
    const auto put = [this](std::uint32_t column, std::uint64_t value) {
        const std::uint8_t symbol = symbol_of(value);
        symbols_[column].push_back(symbol);
        bits_.put(value, static_cast<unsigned>(symbol_table.of[symbol].bits));
    };
    auto cpu = records_.cpu.begin();
    for (std::size_t event = 0; event < records_.heads.size(); ++event) {
        const std::uint32_t head = records_.heads[event];
        const Columns& to = columns_[head >> 1];
        put(to.gap, records_.gaps[event]);
        if ((head & 1) != 0) {
            const std::uint64_t expected =
                expected_cpu(records_.gaps[event], nanoseconds_per_tick, cpu_step_);
            put(cpu_column, zigzag(static_cast<std::int64_t>(expected - *cpu++ / cpu_step_)));
        }
        put(to.duration, records_.durations[event]);
    }
}

void ColumnEncoder::write_preamble() {
    scratch_.clear();
    append_varint(scratch_, records_.shapes.size());
    for (std::size_t shape = 0; shape < records_.shapes.size(); ++shape) {
        const std::span<const std::uint8_t> payload = records_.shapes[shape];
        append_varint(scratch_, columns_[shape].gap);
        append_varint(scratch_, columns_[shape].duration);
        append_varint(scratch_, payload.size());
        scratch_.insert(scratch_.end(), payload.begin(), payload.end());
    }
    append_varint(scratch_, cpu_step_);
    append_varint(scratch_, records_.notes.size());
    std::uint32_t before = 0;
    for (const EventNote& note : records_.notes) {
        append_varint(scratch_, note.event - before);
        scratch_.push_back(note.is_overlap ? 1 : 0);
        append_varint(scratch_, note.value);
        before = note.event;
    }
}

void ColumnEncoder::write_heads() {
    const std::size_t width = head_width(records_.shapes.size());
    scratch_.resize(records_.heads.size() * width);
    for (std::size_t event = 0; event < records_.heads.size(); ++event) {
        std::uint8_t* const at = &scratch_[event * width];
        const std::uint32_t head = records_.heads[event];
        if (width == 1) {
            *at = static_cast<std::uint8_t>(head);
        } else if (width == 2) {
            store(at, static_cast<std::uint16_t>(head));
        } else {
            store(at, head);
        }
    }
}

void ColumnEncoder::add_section(std::span<const std::uint8_t> bytes, Compressor* compressor) {
    add(bytes,
        compressor != nullptr && bytes.size() > least_compressed && compressor->compress(bytes, compressed_));
}

void ColumnEncoder::add_symbols(std::span<const std::uint8_t> bytes, Compressor* compressor) {
    add(bytes, compressor != nullptr && bytes.size() > least_compressed &&
                   compressor->compress_symbols(bytes, compressed_));
}

void ColumnEncoder::add(std::span<const std::uint8_t> bytes, bool is_compressed) {
    append_varint(directory_, bytes.size());
    append_varint(directory_, is_compressed ? compressed_.size() : 0);
    const std::span<const std::uint8_t> stored =
        is_compressed ? std::span<const std::uint8_t>(compressed_) : bytes;
    sections_.insert(sections_.end(), stored.begin(), stored.end());
    ++section_count_;
}

bool ColumnEncoder::encode(std::span<const std::uint8_t> records, double seconds_per_tick,
                           Compressor* compressor, std::vector<std::uint8_t>& out) {
    if (!read_event_records(records, records_) || records_.heads.empty()) {
        return false;
    }
    choose_columns();
    fill_columns(seconds_per_tick * 1e9);
    directory_.clear();
    sections_.clear();
    section_count_ = 0;
    write_preamble();
    add_section(scratch_, compressor);
    write_heads();
    add_section(scratch_, compressor);
    add_section(bits_.finish(), compressor);
    for (std::size_t column = 0; column < used_columns_; ++column) {
        add_symbols(symbols_[column], compressor);
    }
    out.clear();
    append_varint(out, section_count_);
    out.insert(out.end(), directory_.begin(), directory_.end());
    out.insert(out.end(), sections_.begin(), sections_.end());
    return true;
}

}  // namespace linkworth::tracefile
