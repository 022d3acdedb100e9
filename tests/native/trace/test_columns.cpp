// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trace/column_decoder.hpp"
#include "trace/column_encoder.hpp"
#include "trace/row_batch.hpp"
#include "trace/shape_codec.hpp"
#include "trace/time_symbols.hpp"
#include "trace/varint.hpp"

namespace linkworth::tests {
namespace {

using tracefile::append_varint;
using tracefile::Arguments;
using tracefile::ColumnDecoder;
using tracefile::ColumnEncoder;
using tracefile::EventNote;
using tracefile::EventRow;

/// A small generator with a fixed sequence (Knuth's MMIX constants), so that failures repeat.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t below(std::uint64_t bound) {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return (state_ >> 33) % bound;
    }

  private:
    std::uint64_t state_;
};

struct Call {
    std::uint32_t shape;
    std::uint64_t gap;
    std::optional<std::uint64_t> cpu;
    std::uint64_t duration;
};

/// Returns a random value of a random width up to `bits` bits.
std::uint64_t any_value(Random& random, std::uint64_t bits) {
    const std::uint64_t width = random.below(bits + 1);
    const std::uint64_t value = random.below(1U << 31) << 31 | random.below(1U << 31);
    return width == 0 ? 0 : value >> (62 - std::min<std::uint64_t>(width, 62));
}

std::vector<Call> random_calls(Random& random, std::size_t count, std::uint32_t shapes) {
    std::vector<Call> calls;
    for (std::size_t call = 0; call < count; ++call) {
        Call made{static_cast<std::uint32_t>(random.below(shapes)), any_value(random, 50), std::nullopt,
                  any_value(random, 62)};
        if (random.below(3) == 0) made.cpu = any_value(random, 50);
        calls.push_back(made);
    }
    return calls;
}

std::vector<std::uint8_t> records_of(const std::vector<Call>& calls, std::uint32_t shapes) {
    std::vector<std::uint8_t> out;
    for (std::uint32_t shape = 0; shape < shapes; ++shape) {
        append_varint(out, tracefile::head_shape);
        append_varint(out, 3);
        append_varint(out, 0x4000 + shape % 0x4000);
    }
    for (std::size_t call = 0; call < calls.size(); ++call) {
        if (call % 50 == 7) {
            append_varint(out, tracefile::head_thread);
            append_varint(out, call);
            append_varint(out, tracefile::head_overlap);
            append_varint(out, 3 * call);
        }
        const Call& made = calls[call];
        append_varint(out, tracefile::head_event + 2 * std::uint64_t{made.shape} + (made.cpu ? 1 : 0));
        append_varint(out, made.gap);
        if (made.cpu) append_varint(out, *made.cpu);
        append_varint(out, made.duration);
    }
    return out;
}

/// The row of the call of this number, as `records_of` wrote it.
void expect_row(const EventRow& row, const Call& made, double tick, std::size_t number) {
    ASSERT_EQ(row.shape, made.shape);
    ASSERT_EQ(row.gap_seconds, static_cast<double>(made.gap) * tick);
    ASSERT_EQ(row.duration_seconds, static_cast<double>(made.duration) * tick);
    ASSERT_EQ(row.cpu_seconds, made.cpu ? static_cast<double>(*made.cpu) * 1e-9 : -1.0);
    ASSERT_EQ(row.has_notes, number % 50 == 7);
}

TEST(TimeSymbols, EveryValueComesBack) {
    tracefile::BitWriter writer;
    std::vector<std::uint64_t> values;
    for (unsigned width = 0; width < 64; ++width) {
        const std::uint64_t power = std::uint64_t{1} << width;
        values.insert(values.end(), {power, power - 1, power + power / 3});
    }
    values.push_back(UINT64_MAX);
    std::vector<std::uint8_t> symbols;
    for (const std::uint64_t value : values) {
        symbols.push_back(tracefile::symbol_of(value));
        writer.put(value, static_cast<unsigned>(tracefile::symbol_table.of[symbols.back()].bits));
    }
    const auto written = writer.finish();
    EXPECT_EQ(written.size(), (tracefile::bits_after(symbols) + 7) / 8);
    std::vector<std::uint8_t> bytes(written.begin(), written.end());
    bytes.resize(bytes.size() + tracefile::bits_padding);
    std::uint64_t at = 0;
    for (std::size_t value = 0; value < values.size(); ++value) {
        const auto [base, count] = tracefile::symbol_table.of[symbols[value]];
        const auto bits = static_cast<unsigned>(count);
        EXPECT_EQ(base + tracefile::read_bits(bytes.data(), at, bits), values[value]);
        at += bits;
    }
}

TEST(Columns, EveryEventComesBack) {
    Random random(17);
    constexpr double tick = 0.37e-9;
    for (const std::uint32_t shapes : {1U, 5U, 128U, 129U, 400U}) {
        const std::vector<Call> calls = random_calls(random, 3000, shapes);
        tracefile::Compressor compressor;
        for (tracefile::Compressor* with : {&compressor, static_cast<tracefile::Compressor*>(nullptr)}) {
            std::vector<std::uint8_t> stored;
            ASSERT_TRUE(ColumnEncoder().encode(records_of(calls, shapes), tick, with, stored));
            tracefile::Decompressor decompressor;
            ColumnDecoder decoder;
            ASSERT_TRUE(decoder.open(stored, 3000, tick, decompressor));
            EXPECT_EQ(decoder.shapes().size(), shapes);
            std::array<EventRow, 77> rows;
            std::vector<EventNote> notes;
            std::vector<Arguments> arguments;
            std::size_t read = 0;
            while (const std::size_t count = decoder.read(rows, notes, arguments)) {
                std::size_t note = 0;
                for (std::size_t row = 0; row < count; ++row, ++read) {
                    ASSERT_NO_FATAL_FAILURE(expect_row(rows[row], calls[read], tick, read));
                    if (rows[row].has_notes) {
                        ASSERT_LT(note + 1, notes.size());
                        EXPECT_EQ(notes[note].value, read);
                        EXPECT_TRUE(notes[note + 1].is_overlap);
                        EXPECT_EQ(notes[note + 1].value, 3 * read);
                        EXPECT_EQ(notes[note].event, row);
                        note += 2;
                    }
                }
                notes.clear();
            }
            EXPECT_EQ(read, calls.size());
        }
    }
}

// Times are rounded, as in traces by default. Vector instructions decode most of these events if the
// processor has them; some events are too long for them. Heads have one, two and four bytes.
TEST(Columns, EventsInStepsComeBackWhateverTheirLength) {
    Random random(29);
    constexpr std::uint64_t step = 32;
    constexpr double tick = step * 1e-9;
    constexpr std::size_t count = 20000;
    for (const auto& [one_in, shapes] :
         {std::pair{1U, 40U}, {40U, 40U}, {5000U, 40U}, {5000U, 129U}, {40U, 400U}, {40U, 40'000U}}) {
        std::vector<Call> calls;
        for (std::size_t call = 0; call < count; ++call) {
            const bool is_long = random.below(one_in) == 0;
            Call made{static_cast<std::uint32_t>(random.below(shapes)), any_value(random, is_long ? 55 : 14),
                      std::nullopt, any_value(random, is_long ? 62 : 14)};
            if (random.below(3) == 0)
                made.cpu = (random.below(2) == 0 ? made.gap : any_value(random, is_long ? 50 : 14)) * step;
            calls.push_back(made);
        }
        std::vector<std::uint8_t> stored;
        ASSERT_TRUE(ColumnEncoder().encode(records_of(calls, shapes), tick, nullptr, stored));
        tracefile::Decompressor decompressor;
        for (const bool in_batches : {true, false}) {
            ColumnDecoder decoder;
            if (!in_batches) decoder.read_one_by_one();
            ASSERT_TRUE(decoder.open(stored, count, tick, decompressor));
            std::array<EventRow, 3 * tracefile::batch_rows + 5> rows;
            std::vector<EventNote> notes;
            std::vector<Arguments> arguments;
            std::size_t read = 0;
            while (read < count) {
                const std::size_t asked = random.below(4) == 0 ? 1 + random.below(rows.size()) : rows.size();
                const std::size_t got = decoder.read(std::span(rows).first(asked), notes, arguments);
                ASSERT_GT(got, 0U);
                for (std::size_t row = 0; row < got; ++row, ++read)
                    ASSERT_NO_FATAL_FAILURE(expect_row(rows[row], calls[read], tick, read));
                notes.clear();
            }
        }
    }
}

/// Records of messages with other arguments each, and between them of calls that have none.
std::vector<std::uint8_t> records_of(const std::vector<Arguments>& messages) {
    std::vector<std::uint8_t> out;
    std::vector<std::uint8_t> payload;
    for (std::size_t call = 0; call < messages.size(); ++call) {
        tracefile::Shape shape;
        shape.call_class = call % 3 == 0   ? tracefile::CallClass::isend
                           : call % 3 == 1 ? tracefile::CallClass::recv
                                           : tracefile::CallClass::local;
        shape.name = static_cast<std::uint32_t>(call % 3);
        shape.bytes = messages[call].bytes;
        shape.peer = messages[call].peer;
        shape.tag = messages[call].tag;
        payload.clear();
        encode_shape(shape, payload);
        append_varint(out, tracefile::head_shape);
        append_varint(out, payload.size());
        out.insert(out.end(), payload.begin(), payload.end());
        append_varint(out, tracefile::head_event + 2 * call);
        append_varint(out, call);
        append_varint(out, 0);
    }
    return out;
}

std::vector<Arguments> random_arguments(Random& random, std::size_t count) {
    std::vector<Arguments> messages;
    for (std::size_t message = 0; message < count; ++message) {
        const auto peer = static_cast<std::int32_t>(random.below(700));
        messages.push_back({any_value(random, 62), peer == 0 ? tracefile::proc_null : peer,
                            static_cast<std::int32_t>(any_value(random, 31))});
    }
    return messages;
}

TEST(Columns, ArgumentsOfManyMessagesComeBack) {
    Random random(31);
    const std::vector<Arguments> messages = random_arguments(random, 3000);
    std::vector<std::uint8_t> stored;
    ASSERT_TRUE(ColumnEncoder().encode(records_of(messages), 1e-9, nullptr, stored));
    tracefile::Decompressor decompressor;
    ColumnDecoder decoder;
    ASSERT_TRUE(decoder.open(stored, 3000, 1e-9, decompressor));
    EXPECT_EQ(decoder.shapes().size(), 1002U);  // two, and those of calls without arguments
    std::array<EventRow, 77> rows;
    std::vector<EventNote> notes;
    std::vector<Arguments> arguments;
    std::size_t read = 0;
    while (const std::size_t count = decoder.read(rows, notes, arguments)) {
        for (std::size_t row = 0; row < count; ++row, ++read) {
            ASSERT_EQ(rows[row].has_arguments, read % 3 != 2);
            if (!rows[row].has_arguments) continue;
            EXPECT_EQ(arguments[row].bytes, messages[read].bytes);
            EXPECT_EQ(arguments[row].peer, messages[read].peer);
            EXPECT_EQ(arguments[row].tag, messages[read].tag);
        }
    }
    EXPECT_EQ(read, messages.size());
    EXPECT_TRUE(decoder.sound());
}

TEST(Columns, NonsenseIsRefusedOrRead) {
    Random random(23);
    std::vector<std::uint8_t> of_times;
    ASSERT_TRUE(ColumnEncoder().encode(records_of(random_calls(random, 400, 5), 5), 1e-9, nullptr, of_times));
    std::vector<std::uint8_t> of_arguments;
    ASSERT_TRUE(
        ColumnEncoder().encode(records_of(random_arguments(random, 400)), 1e-9, nullptr, of_arguments));
    tracefile::Decompressor decompressor;
    ColumnDecoder decoder;
    std::array<EventRow, 100> rows;
    std::vector<EventNote> notes;
    std::vector<Arguments> arguments;
    int refused = 0;
    int unsound = 0;
    for (int round = 0; round < 8000; ++round) {
        const bool times_only = round % 2 == 0;
        std::vector<std::uint8_t> stored = times_only ? of_times : of_arguments;
        for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips) {
            // Half of them where the sizes and the shapes stand.
            const std::size_t end =
                random.below(2) == 0 ? std::min<std::size_t>(120, stored.size()) : stored.size();
            stored[random.below(end)] = static_cast<std::uint8_t>(random.below(256));
        }
        if (random.below(8) == 0) stored.resize(random.below(stored.size()));
        if (!decoder.open(stored, 400, 1e-9, decompressor)) {
            ++refused;
            EXPECT_EQ(decoder.read(rows, notes, arguments), 0U);
            continue;
        }
        std::size_t read = 0;
        while (const std::size_t count = decoder.read(rows, notes, arguments)) read += count;
        EXPECT_TRUE(read == 400 || (!times_only && !decoder.sound()));
        unsound += decoder.sound() ? 0 : 1;
        notes.clear();
    }
    EXPECT_GT(refused, 800);
    EXPECT_LT(refused, 8000);
    EXPECT_GT(unsound, 0);
}

}  // namespace
}  // namespace linkworth::tests
