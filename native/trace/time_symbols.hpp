// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Times as a symbol of one byte for the approximate length, and further bits for the exact one
/// (docs/reference/trace-format.md, "Columns"). The symbols of like calls are alike and compress. The bits
/// are noise and are stored as they are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/wire.hpp"

namespace linkworth::tracefile {

/// Number of bits after the highest one that are in the symbol.
inline constexpr unsigned symbol_bits = 2;
inline constexpr std::size_t symbol_count = 256;
/// So many bytes after the last bit may be read with it.
inline constexpr std::size_t bits_padding = 16;

/// Number of bits that follow a symbol, and the value to which they are added.
struct SymbolMeaning {
    std::uint64_t base = 0;
    std::uint64_t bits = 0;
};

struct SymbolTable {
    std::array<SymbolMeaning, symbol_count> of{};

    constexpr SymbolTable() {
        for (unsigned symbol = 0; symbol < symbol_count; ++symbol) {
            const unsigned group = symbol >> symbol_bits;
            // 252 to 255 would be values of more than 64 bits; no writer uses them.
            const unsigned shift = group < 2 ? 0 : group - 1;
            const std::uint64_t top = group == 0 ? symbol : 4 | (symbol & 3);
            of[symbol] = {top << shift, shift};
        }
    }
};

inline constexpr SymbolTable symbol_table{};

inline std::uint8_t symbol_of(std::uint64_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    const unsigned shift = width > symbol_bits + 1 ? width - symbol_bits - 1 : 0;
    return static_cast<std::uint8_t>((shift << symbol_bits) + (value >> shift));
}

/// Returns the number of bits that follow all of these symbols.
inline std::uint64_t bits_after(std::span<const std::uint8_t> symbols) {
    // Same result as the table, but without lookups: eight symbols of a word at once. Each adds its group
    // less one, or nothing if that is 0. The words are few enough for sums of 16 bits.
    constexpr std::size_t most_words = 512;
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t even_bytes = 0x00ff00ff00ff00ff;
    std::uint64_t sum = 0;
    while (symbols.size() >= sizeof(std::uint64_t)) {
        const std::size_t words = std::min(symbols.size() / sizeof(std::uint64_t), most_words);
        std::uint64_t sums = 0;
        for (std::size_t word = 0; word < words; ++word) {
            const std::uint64_t groups =
                (load<std::uint64_t>(symbols.data() + word * sizeof word) >> symbol_bits) & (0x3f * ones);
            const std::uint64_t bits = groups - (((groups + 0x3f * ones) >> 6) & ones);
            sums += (bits & even_bytes) + ((bits >> 8) & even_bytes);
        }
        sum += (sums & 0xffff) + ((sums >> 16) & 0xffff) + ((sums >> 32) & 0xffff) + (sums >> 48);
        symbols = symbols.subspan(words * sizeof(std::uint64_t));
    }
    for (const std::uint8_t symbol : symbols) sum += symbol_table.of[symbol].bits;
    return sum;
}

class BitWriter {
  public:
    void put(std::uint64_t value, unsigned bits) {
        if (bits == 0) return;
        value &= UINT64_MAX >> (64 - bits);
        word_ |= value << used_;
        const unsigned used = used_ + bits;
        if (used < 64) [[likely]] {
            used_ = used;
            return;
        }
        const unsigned written = 64 - used_;
        flush(8);
        used_ = used - 64;
        word_ = used_ == 0 ? 0 : value >> written;
    }
    /// All bits so far, filled up to whole bytes.
    std::span<const std::uint8_t> finish() {
        flush((used_ + 7) / 8);
        return bytes_;
    }
    void clear() {
        bytes_.clear();
        word_ = 0;
        used_ = 0;
    }

  private:
    void flush(std::size_t bytes) {
        const std::size_t end = bytes_.size();
        bytes_.resize(end + 8);
        store(bytes_.data() + end, word_);
        bytes_.resize(end + bytes);
        word_ = 0;
        used_ = 0;
    }

    std::vector<std::uint8_t> bytes_;
    std::uint64_t word_ = 0;
    unsigned used_ = 0;
};

/// Reads bits without a bounds check: `bits_padding` bytes must be readable after the last one.
inline std::uint64_t read_bits(const std::uint8_t* bytes, std::uint64_t at, unsigned bits) {
    const std::uint8_t* const from = bytes + (at >> 3);
    const auto skip = static_cast<unsigned>(at & 7);
    std::uint64_t word = load<std::uint64_t>(from) >> skip;
    if (bits + skip > 64) [[unlikely]]
        word |= std::uint64_t{from[8]} << (64 - skip);
    return word & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace linkworth::tracefile
