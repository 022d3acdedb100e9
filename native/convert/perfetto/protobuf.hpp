// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Protocol Buffers' wire format (protobuf.dev, "Encoding"), as far as a writer needs it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace linkworth::convert {

/// One message under construction. Fields keep the order in which they are added.
class ProtobufMessage {
  public:
    void clear() { bytes_.clear(); }
    std::string_view bytes() const { return bytes_; }

    /// bool, enum, int32, int64, uint32 and uint64; a negative number takes ten bytes.
    ProtobufMessage& number(std::uint32_t field, std::uint64_t value) {
        tag(field, 0);
        varint(value);
        return *this;
    }
    ProtobufMessage& fixed64(std::uint32_t field, std::uint64_t value) {
        tag(field, 1);
        for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte) & 0xff);
        return *this;
    }
    /// string, bytes, and a message by its bytes.
    ProtobufMessage& bytes(std::uint32_t field, std::string_view value) {
        tag(field, 2);
        varint(value.size());
        bytes_ += value;
        return *this;
    }
    ProtobufMessage& message(std::uint32_t field, const ProtobufMessage& value) {
        return bytes(field, value.bytes());
    }

  private:
    void tag(std::uint32_t field, std::uint32_t wire_type) { varint(field << 3U | wire_type); }
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

}  // namespace linkworth::convert
