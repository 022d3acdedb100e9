// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Unsigned LEB128 varints and zigzag-coded svarints (docs/reference/trace-format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linkworth::tracefile {

inline constexpr std::size_t longest_varint = 10;

/// Reads a varint without a bounds check: at least `longest_varint` bytes must be readable at `at`.
inline std::uint64_t read_varint(const std::uint8_t*& at) {
    std::uint64_t byte = *at++;
    if (byte < 0x80) [[likely]]
        return byte;
    std::uint64_t value = byte & 0x7f;
    for (unsigned shift = 7; shift < 7 * longest_varint; shift += 7) {
        byte = *at++;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) break;
    }
    return value;
}

inline std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

inline std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

/// Writes a varint, for which there must be room at `at`, and returns its end.
inline std::uint8_t* put_varint(std::uint8_t* at, std::uint64_t value) {
    while (value >= 0x80) {
        *at++ = static_cast<std::uint8_t>(value | 0x80);
        value >>= 7;
    }
    *at++ = static_cast<std::uint8_t>(value);
    return at;
}

inline void append_varint(std::vector<std::uint8_t>& out, std::uint64_t value) {
    std::uint8_t bytes[longest_varint];
    out.insert(out.end(), bytes, put_varint(bytes, value));
}

inline void append_svarint(std::vector<std::uint8_t>& out, std::int64_t value) {
    append_varint(out, zigzag(value));
}

/// Reads a bounded run of bytes; after a read over the end, `ok()` is false and every value is 0.
class ByteReader {
  public:
    ByteReader(const std::uint8_t* begin, const std::uint8_t* end) : at_(begin), end_(end) {}

    bool ok() const { return ok_; }
    bool at_end() const { return at_ == end_; }
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    const std::uint8_t* position() const { return at_; }

    std::uint8_t byte() {
        if (at_ == end_) return fail();
        return *at_++;
    }

    std::uint64_t varint() {
        if (left() >= longest_varint) [[likely]] {
            // Most have one or two bytes.
            const std::uint64_t low = at_[0];
            if (low < 0x80) {
                at_ += 1;
                return low;
            }
            const std::uint64_t next = at_[1];
            if (next < 0x80) [[likely]] {
                at_ += 2;
                return (low & 0x7f) | next << 7;
            }
        }
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 7 * longest_varint; shift += 7) {
            if (at_ == end_) return fail();
            const std::uint64_t next = *at_++;
            value |= (next & 0x7f) << shift;
            if (next < 0x80) return value;
        }
        return fail();
    }

    std::int64_t svarint() { return unzigzag(varint()); }

    /// A varint that fits in an unsigned type of 32 bits.
    std::uint32_t varint32() {
        const std::uint64_t value = varint();
        return value <= UINT32_MAX ? static_cast<std::uint32_t>(value) : fail();
    }

    /// A svarint that fits in 32 bits.
    std::int32_t svarint32() {
        const std::int64_t value = svarint();
        return value >= INT32_MIN && value <= INT32_MAX ? static_cast<std::int32_t>(value) : fail();
    }

    /// A varint that is a non-negative int32.
    std::int32_t natural32() {
        const std::uint64_t value = varint();
        return value <= INT32_MAX ? static_cast<std::int32_t>(value) : fail();
    }

    void skip(std::size_t bytes) {
        if (bytes > left())
            fail();
        else
            at_ += bytes;
    }

    /// Reads a count of items of at least one byte each, so that no count can allocate more memory than the
    /// bytes left.
    std::size_t count() {
        const std::uint64_t value = varint();
        return value <= left() ? static_cast<std::size_t>(value) : fail();
    }

    std::uint8_t fail() {
        ok_ = false;
        at_ = end_;
        return 0;
    }

  private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
    bool ok_ = true;
};

}  // namespace linkworth::tracefile
