// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/column_decoder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "trace/column_layout.hpp"
#include "trace/container.hpp"
#include "trace/time_symbols.hpp"
#include "trace/varint.hpp"
#include "trace/wire.hpp"

namespace linkworth::tracefile {

bool ColumnDecoder::open(std::span<const std::uint8_t> stored, std::uint32_t events, double seconds_per_tick,
                         Decompressor& decompressor) {
    events_ = events;
    next_ = 0;
    next_note_ = 0;
    next_bit_ = 0;
    sound_ = true;
    seconds_per_tick_ = seconds_per_tick;
    if (expand_sections(stored, decompressor) && read_preamble() && counts_agree()) return true;
    events_ = 0;
    return false;
}

bool ColumnDecoder::expand_sections(std::span<const std::uint8_t> stored, Decompressor& decompressor) {
    ByteReader in(stored.data(), stored.data() + stored.size());
    const std::size_t count = in.count();
    sections_.clear();
    std::vector<std::size_t> stored_sizes;
    std::size_t raw_end = 0;
    std::size_t stored_bytes = 0;
    for (std::size_t section = 0; section < count; ++section) {
        const std::uint64_t raw = in.varint();
        const std::uint64_t compressed = in.varint();
        if (!in.ok() || raw > largest_raw_block - raw_end || compressed > stored.size()) return false;
        sections_.push_back({raw_end, static_cast<std::size_t>(raw)});
        stored_sizes.push_back(static_cast<std::size_t>(compressed != 0 ? compressed : raw));
        raw_end += static_cast<std::size_t>(raw);
        stored_bytes += stored_sizes.back();
    }
    if (!in.ok() || count <= section_columns + cpu_column || stored_bytes != in.left()) return false;
    memory_.resize(raw_end + std::max(bits_padding, batch_padding));
    const std::uint8_t* at = in.position();
    for (std::size_t section = 0; section < count; ++section) {
        const Section& to = sections_[section];
        const std::span<const std::uint8_t> from(at, stored_sizes[section]);
        if (from.size() == to.size)
            std::copy(from.begin(), from.end(), memory_.begin() + static_cast<std::ptrdiff_t>(to.offset));
        else if (!decompressor.expand(from, memory_.data() + to.offset, to.size))
            return false;
        at += from.size();
    }
    return true;
}

bool ColumnDecoder::read_preamble() {
    const std::span<const std::uint8_t> bytes = bytes_of(sections_[section_preamble]);
    ByteReader in(bytes.data(), bytes.data() + bytes.size());
    shapes_.clear();
    columns_.clear();
    arguments_.clear();
    notes_.clear();
    bool any_open = false;
    const std::size_t shapes = in.count();
    for (std::size_t shape = 0; shape < shapes; ++shape) {
        const ShapeColumns of{in.varint32(), in.varint32()};
        const bool is_open = in.byte() != 0;
        const std::size_t size = in.count();
        shapes_.emplace_back(in.position(), size);
        in.skip(size);
        if (!in.ok()) return false;
        columns_.push_back(of);
        arguments_.add_shape(is_open);
        any_open |= is_open;
    }
    cpu_step_ = in.varint();
    const std::size_t notes = in.count();
    std::uint64_t event = 0;
    for (std::size_t note = 0; note < notes; ++note) {
        event += in.varint32();
        const bool is_overlap = in.byte() != 0;
        notes_.push_back({static_cast<std::uint32_t>(event), is_overlap, in.varint()});
        if (!in.ok() || event >= events_) return false;
    }
    if (any_open && !arguments_.read_values(in)) return false;
    head_width_ = head_width(shapes);
    // A gap times a power of two and divided by it again is that gap.
    cpu_expects_the_gap_ =
        std::has_single_bit(cpu_step_) && seconds_per_tick_ * 1e9 == static_cast<double>(cpu_step_);
    return in.ok() && in.at_end() && cpu_step_ > 0;
}

/// Reads the heads of a batch. Behind the last one they are of no meaning.
void ColumnDecoder::read_heads(std::size_t first, RowBatch::Heads& heads) const {
    const std::uint8_t* const from = bytes_of(sections_[section_heads]).data() + first * head_width_;
    const auto widen = [&]<class Head>(Head) {
        std::array<Head, batch_rows> narrow;
        std::memcpy(narrow.data(), from, sizeof narrow);
        std::ranges::copy(narrow, heads.begin());
    };
    head_width_ == 1   ? widen(std::uint8_t{})
    : head_width_ == 2 ? widen(std::uint16_t{})
                       : widen(std::uint32_t{});
}

/// Counts how often each head occurs. Returns false if one names no shape.
bool ColumnDecoder::count_heads(std::vector<std::uint64_t>& of_head) const {
    // Neighbours count in different places, so that equal ones do not wait for each other.
    constexpr std::size_t lanes = 4;
    std::vector<std::uint64_t> counts(lanes * of_head.size(), 0);
    RowBatch::Heads heads;
    for (std::size_t first = 0; first < events_; first += batch_rows) {
        read_heads(first, heads);
        for (std::size_t at = 0; at < std::min(batch_rows, events_ - first); ++at) {
            if (heads[at] >= of_head.size()) return false;
            ++counts[lanes * heads[at] + at % lanes];
        }
    }
    for (std::size_t place = 0; place < counts.size(); ++place) of_head[place / lanes] += counts[place];
    return true;
}

/// Returns whether the columns contain as many symbols as the events need, and as many bits as the symbols
/// need.
bool ColumnDecoder::counts_agree() {
    if (sections_[section_heads].size != events_ * head_width_) return false;
    std::vector<std::uint64_t> of_head(2 * shapes_.size(), 0);
    if (!count_heads(of_head)) return false;
    std::vector<std::uint64_t> needed(sections_.size() - section_columns, 0);
    if (arguments_.columns() > needed.size()) return false;
    const std::size_t of_times = needed.size() - arguments_.columns();
    std::uint64_t with_arguments = 0;
    for (std::size_t shape = 0; shape < shapes_.size(); ++shape) {
        const ShapeColumns& columns = columns_[shape];
        if (std::max(columns.gap, columns.duration) >= of_times) return false;
        const std::uint64_t events = of_head[2 * shape] + of_head[2 * shape + 1];
        needed[columns.gap] += events;
        needed[cpu_column] += of_head[2 * shape + 1];
        needed[columns.duration] += events;
        with_arguments += is_open(shape) ? events : 0;
    }
    std::uint64_t bits = 0;
    symbols_.clear();
    for (std::size_t column = 0; column < needed.size(); ++column) {
        const std::span<const std::uint8_t> symbols = bytes_of(sections_[section_columns + column]);
        if (symbols.size() != (column < of_times ? needed[column] : with_arguments)) return false;
        bits += column < of_times ? bits_after(symbols) : 0;
        symbols_.push_back(symbols.data());
    }
    arguments_.set_columns(std::span(symbols_).subspan(of_times));
    return sections_[section_bits].size == (bits + 7) / 8;
}

// Branches on CPU time are hard to predict. So events without it do not jump: they take no symbol, no bits,
// and -1.
void ColumnDecoder::read_singly(const RowBatch::Heads& heads, std::span<EventRow> rows) {
    const std::uint8_t* const bits = bytes_of(sections_[section_bits]).data();
    const ShapeColumns* const columns = columns_.data();
    const std::uint8_t** const symbols = symbols_.data();
    const double nanoseconds_per_tick = seconds_per_tick_ * 1e9;
    const double seconds_per_tick = seconds_per_tick_;
    const std::uint64_t cpu_step = cpu_step_;
    const bool expects_the_gap = cpu_expects_the_gap_;
    constexpr auto no_cpu = std::bit_cast<std::uint64_t>(-1.0);
    std::uint64_t bit = next_bit_;
    const auto bits_of = [&](std::uint64_t count) {
        const std::uint64_t value = read_bits(bits, bit, static_cast<unsigned>(count));
        bit += count;
        return value;
    };
    const auto lowest = [](std::uint64_t value, std::uint64_t count) {
        return value & ((std::uint64_t{1} << count) - 1);
    };
    const auto seconds = [seconds_per_tick](std::uint64_t ticks) {
        return static_cast<double>(static_cast<std::int64_t>(ticks)) * seconds_per_tick;
    };
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const std::uint32_t head = heads[at];
        const ShapeColumns& of = columns[head >> 1];
        const std::uint64_t has_cpu = head & 1;
        const std::uint64_t cpu_mask = -has_cpu;
        const SymbolMeaning gap = symbol_table.of[*symbols[of.gap]++];
        const SymbolMeaning less = symbol_table.of[*symbols[cpu_column]];
        symbols[cpu_column] += has_cpu;
        const SymbolMeaning duration = symbol_table.of[*symbols[of.duration]++];
        const std::uint64_t less_bits = less.bits & cpu_mask;
        std::uint64_t gap_ticks = gap.base;
        std::uint64_t less_code = less.base;
        std::uint64_t duration_ticks = duration.base;
        if (gap.bits + less_bits + duration.bits <= most_bits_at_once) [[likely]] {
            const std::uint64_t all = bits_of(gap.bits + less_bits + duration.bits);
            gap_ticks += lowest(all, gap.bits);
            less_code += lowest(all >> gap.bits, less_bits);
            duration_ticks += all >> (gap.bits + less_bits);
        } else {
            gap_ticks += bits_of(gap.bits);
            less_code += bits_of(less_bits);
            duration_ticks += bits_of(duration.bits);
        }
        const std::uint64_t expected = expects_the_gap && gap_ticks < exact_ticks
                                           ? gap_ticks
                                           : expected_cpu(gap_ticks, nanoseconds_per_tick, cpu_step);
        const std::uint64_t cpu = (expected - static_cast<std::uint64_t>(unzigzag(less_code))) * cpu_step;
        const double cpu_seconds = static_cast<double>(static_cast<std::int64_t>(cpu)) * 1e-9;
        EventRow& row = rows[at];
        row.shape = head >> 1;
        row.has_notes = false;
        row.has_arguments = false;
        row.gap_seconds = seconds(gap_ticks);
        row.cpu_seconds = std::bit_cast<double>((std::bit_cast<std::uint64_t>(cpu_seconds) & cpu_mask) |
                                                (no_cpu & ~cpu_mask));
        row.duration_seconds = seconds(duration_ticks);
    }
    next_bit_ = bit;
}

std::size_t ColumnDecoder::read(std::span<EventRow> rows, std::vector<EventNote>& notes,
                                std::vector<Arguments>& arguments) {
    rows = rows.first(std::min(rows.size(), events_ - next_));
    // A block that could not be opened has no events, and may have no memory.
    if (rows.empty()) return 0;
    const std::size_t first = next_;
    RowBatch batch{{},
                   columns_,
                   symbols_,
                   bytes_of(sections_[section_bits]).data(),
                   next_bit_,
                   static_cast<unsigned>(std::countr_zero(cpu_step_)),
                   seconds_per_tick_};
    while (next_ - first < rows.size()) {
        const auto left = rows.subspan(next_ - first);
        const auto some = left.first(std::min(left.size(), batch_rows));
        read_heads(next_, batch.heads);
        batch.next_bit = next_bit_;
        if (in_batches_ && cpu_expects_the_gap_ && some.size() == batch_rows &&
            read_batch(batch, some.first<batch_rows>()))
            next_bit_ = batch.next_bit;
        else
            read_singly(batch.heads, some);
        next_ += some.size();
    }
    if (arguments_.columns() > 0) {
        arguments.resize(std::max(arguments.size(), rows.size()));
        if (!arguments_.read(rows, arguments)) {
            next_ = events_;
            sound_ = false;
            return 0;
        }
    }
    for (; next_note_ < notes_.size() && notes_[next_note_].event < next_; ++next_note_) {
        EventNote note = notes_[next_note_];
        note.event -= static_cast<std::uint32_t>(first);
        rows[note.event].has_notes = true;
        notes.push_back(note);
    }
    return rows.size();
}

}  // namespace linkworth::tracefile
