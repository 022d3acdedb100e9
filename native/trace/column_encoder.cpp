// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/column_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trace/column_layout.hpp"
#include "trace/varint.hpp"
#include "trace/wire.hpp"

namespace linkworth::tracefile {
namespace {

/// Zstandard takes some ten bytes for itself.
constexpr std::size_t least_compressed = 16;
/// Columns of times in a block, and values of one: more and smaller columns have more codes than they save.
constexpr std::size_t most_columns = 24;
constexpr std::size_t fewest_values = 600;
static_assert(cpu_column == 0);

}  // namespace

/// Gives the gaps and the durations of each shape a column. Those with like means share one, as one code fits
/// their symbols.
void ColumnEncoder::choose_columns() {
    struct Series {
        std::uint64_t values = 0;
        std::uint64_t symbols = 0;  ///< their sum

        double mean() const {
            return static_cast<double>(symbols) / static_cast<double>(std::max<std::uint64_t>(values, 1));
        }
        void add(std::uint8_t symbol) {
            ++values;
            symbols += symbol;
        }
    };
    std::vector<Series> all(2 * records_.shapes.size());  // a shape's gaps, and its durations
    for (std::size_t event = 0; event < records_.heads.size(); ++event) {
        const std::uint32_t gaps = records_.heads[event] & ~1U;
        all[gaps].add(records_.gap_symbols[event]);
        all[gaps + 1].add(records_.duration_symbols[event]);
    }
    std::vector<std::uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&all](std::uint32_t series) { return all[series].mean(); });
    const std::size_t enough = std::max(fewest_values, 2 * records_.heads.size() / most_columns);
    columns_.resize(records_.shapes.size());
    std::vector<std::size_t> sizes{records_.cpu.size(), 0};
    for (const std::uint32_t series : order) {
        if (sizes.back() >= enough) sizes.push_back(0);
        const auto column = static_cast<std::uint32_t>(sizes.size() - 1);
        ShapeColumns& of = columns_[series / 2];
        (series % 2 == 0 ? of.gap : of.duration) = column;
        sizes.back() += all[series].values;
    }
    used_columns_ = sizes.size();
    symbols_.resize(std::max(symbols_.size(), used_columns_));
    next_.clear();
    for (std::size_t column = 0; column < used_columns_; ++column) {
        symbols_[column].resize(sizes[column]);
        next_.push_back(symbols_[column].data());
    }
}

void ColumnEncoder::fill_columns(double nanoseconds_per_tick) {
    // A trace whose times were rounded has CPU times in the same steps.
    const auto step = static_cast<std::uint64_t>(std::max(1.0, std::round(nanoseconds_per_tick)));
    const bool in_steps =
        std::ranges::all_of(records_.cpu, [step](std::uint64_t cpu) { return cpu % step == 0; });
    cpu_step_ = in_steps ? step : 1;
    bits_.clear();
    const auto put = [this](std::uint32_t column, std::uint8_t symbol, std::uint64_t value) {
        *next_[column]++ = symbol;
        bits_.put(value, static_cast<unsigned>(symbol_table.of[symbol].bits));
    };
    auto cpu = records_.cpu.begin();
    for (std::size_t event = 0; event < records_.heads.size(); ++event) {
        const std::uint32_t head = records_.heads[event];
        const ShapeColumns& to = columns_[head >> 1];
        put(to.gap, records_.gap_symbols[event], records_.gaps[event]);
        if ((head & 1) != 0) {
            const std::uint64_t expected =
                expected_cpu(records_.gaps[event], nanoseconds_per_tick, cpu_step_);
            const std::uint64_t less = zigzag(static_cast<std::int64_t>(expected - *cpu++ / cpu_step_));
            put(cpu_column, symbol_of(less), less);
        }
        put(to.duration, records_.duration_symbols[event], records_.durations[event]);
    }
}

/// Adds a column of each byte of the arguments' places in the lists of values.
void ColumnEncoder::add_arguments(Compressor* compressor) {
    for (std::size_t argument = 0; argument < argument_count; ++argument) {
        const auto& values = values_[argument];
        std::vector<std::uint64_t>& places = records_.arguments[argument];
        for (std::uint64_t& value : places)
            value = static_cast<std::uint64_t>(std::ranges::lower_bound(values, value) - values.begin());
        for (std::size_t byte = 0; byte < place_bytes(values.size()); ++byte) {
            scratch_.clear();
            for (const std::uint64_t place : places)
                scratch_.push_back(static_cast<std::uint8_t>(place >> (8 * byte)));
            add_symbols(scratch_, compressor);
        }
    }
}

void ColumnEncoder::write_preamble() {
    scratch_.clear();
    append_varint(scratch_, records_.shapes.size());
    for (std::size_t shape = 0; shape < records_.shapes.size(); ++shape) {
        const std::span<const std::uint8_t> payload = records_.shapes[shape];
        append_varint(scratch_, columns_[shape].gap);
        append_varint(scratch_, columns_[shape].duration);
        scratch_.push_back(records_.is_open[shape] ? 1 : 0);
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
    if (records_.any_open()) write_values();
}

/// Finds the values that occur as arguments, and writes them in rising order.
void ColumnEncoder::write_values() {
    for (std::size_t argument = 0; argument < argument_count; ++argument) {
        std::vector<std::uint64_t>& values = values_[argument];
        values = records_.arguments[argument];
        std::ranges::sort(values);
        values.erase(std::unique(values.begin(), values.end()), values.end());
        append_varint(scratch_, values.size());
        std::uint64_t before = 0;
        for (const std::uint64_t value : values) {
            append_svarint(scratch_, static_cast<std::int64_t>(value - before));
            before = value;
        }
    }
}

void ColumnEncoder::write_heads() {
    const std::size_t width = head_width(records_.shapes.size());
    scratch_.resize(records_.heads.size() * width);
    for (std::size_t event = 0; event < records_.heads.size(); ++event) {
        std::uint8_t* const at = &scratch_[event * width];
        const std::uint32_t head = records_.heads[event];
        if (width == 1)
            *at = static_cast<std::uint8_t>(head);
        else if (width == 2)
            store(at, static_cast<std::uint16_t>(head));
        else
            store(at, head);
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
    if (!read_event_records(records, records_) || records_.heads.empty()) return false;
    open_shapes(records_);
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
    for (std::size_t column = 0; column < used_columns_; ++column) add_symbols(symbols_[column], compressor);
    if (records_.any_open()) add_arguments(compressor);
    out.clear();
    append_varint(out, section_count_);
    out.insert(out.end(), directory_.begin(), directory_.end());
    out.insert(out.end(), sections_.begin(), sections_.end());
    return true;
}

}  // namespace linkworth::tracefile
