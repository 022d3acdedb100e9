// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/ti/arguments.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace linkworth::convert {
namespace {

/// Bytes by SMPI's number of a predefined datatype, on a 64-bit machine; 0 if SMPI gives it no size. (It
/// makes MPI_REAL8 a float, MPI_REAL16 a double and MPI_INTEGER1 an int.)
constexpr std::array<std::uint8_t, 55> datatype_sizes = {
    8,  4,  1,  2, 8,  4, 1,  8,      // DOUBLE INT CHAR SHORT LONG FLOAT BYTE LONG_LONG
    1,  1,  2,  4, 8,  8, 16, 4,      // signed and unsigned CHAR ... LONG_DOUBLE WCHAR
    1,  1,  2,  4, 8,  1, 2,  4,  8,  // C_BOOL INT8_T ... UINT64_T
    8,  16, 32, 8, 8,                 // complex, AINT, OFFSET
    8,  16, 16, 8, 8,  8, 16, 16,     // FLOAT_INT LONG_INT DOUBLE_INT SHORT_INT 2INT 2FLOAT 2DOUBLE 2LONG
    4,  4,  4,  8, 0,  0, 0,          // REAL REAL4 REAL8 REAL16 COMPLEX8 COMPLEX16 COMPLEX32
    4,  2,  4,  8, 16,                // INTEGER1 ... INTEGER16
    32, 0,  0,  1, 8,                 // LONG_DOUBLE_INT UB LB PACKED PTR
};

constexpr double largest_integer = 9007199254740992.0;  // 2^53: every integer up to it is a double

std::string shown(std::string_view word) { return std::string(word.substr(0, 40)); }

}  // namespace

void TiArguments::need(std::size_t least, std::string_view names) const {
    if (count() < least)
        line_.fail(shown(line_.words()[1]) + " needs " + std::string(names) + ", and there are only " +
                   std::to_string(count()) + " arguments");
}

double TiArguments::number(std::size_t index) const {
    double value = 0;
    const std::string_view text = word(index);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        line_.fail(shown(text) + " is no number");
    return value;
}

double TiArguments::amount(std::size_t index) const {
    const double value = number(index);
    if (value < 0) line_.fail(shown(word(index)) + " is negative");
    return value;
}

std::uint64_t TiArguments::bytes(std::size_t index, std::uint32_t element_bytes) const {
    const double value = amount(index) * element_bytes;
    if (value > largest_integer) line_.fail(shown(word(index)) + " is too much for one message");
    return static_cast<std::uint64_t>(std::llround(value));
}

std::vector<std::uint64_t> TiArguments::bytes_by_rank(std::size_t index, std::uint32_t element_bytes) const {
    std::vector<std::uint64_t> all(ranks_);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) all[rank] = bytes(index + rank, element_bytes);
    return all;
}

std::int64_t TiArguments::integer(std::size_t index, std::string_view what) const {
    const double value = number(index);
    if (value != std::floor(value) || std::fabs(value) > largest_integer)
        line_.fail(shown(word(index)) + " is no " + std::string(what));
    return static_cast<std::int64_t>(value);
}

std::int32_t TiArguments::rank(std::size_t index, std::string_view what) const {
    const std::int64_t value = integer(index, what);
    if (value < 0)
        line_.fail("the " + std::string(what) + " is " + shown(word(index)) +
                   ": a receive from any source can only be converted if the trace says what it took");
    if (value >= ranks_)
        line_.fail("the " + std::string(what) + " is " + shown(word(index)) + ", and there are " +
                   std::to_string(ranks_) + " ranks");
    return static_cast<std::int32_t>(value);
}

std::int32_t TiArguments::tag(std::size_t index) const {
    const std::int64_t value = integer(index, "tag");
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
        line_.fail("the tag is " + shown(word(index)) +
                   ": a receive with any tag can only be converted if the trace says what it took");
    return static_cast<std::int32_t>(value);
}

std::uint32_t TiArguments::datatype_bytes(std::size_t index, std::uint32_t otherwise) const {
    if (index >= count()) return otherwise;
    const std::int64_t type = integer(index, "datatype");
    if (type < 0 || type >= static_cast<std::int64_t>(datatype_sizes.size()) ||
        datatype_sizes[static_cast<std::size_t>(type)] == 0)
        line_.fail(shown(word(index)) + " is the number of no datatype that SMPI gives a size");
    return datatype_sizes[static_cast<std::size_t>(type)];
}

}  // namespace linkworth::convert
