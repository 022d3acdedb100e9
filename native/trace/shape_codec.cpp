// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/shape_codec.hpp"

#include "calls/call_fields.hpp"
#include "trace/varint.hpp"

namespace linkworth::tracefile {
namespace {

constexpr std::uint8_t last_of(CompleteMode) { return static_cast<std::uint8_t>(CompleteMode::testsome); }
constexpr std::uint8_t last_of(RmaOperation) { return static_cast<std::uint8_t>(RmaOperation::fetch); }
constexpr std::uint8_t last_of(WindowSync) { return static_cast<std::uint8_t>(WindowSync::sync); }
constexpr std::uint8_t last_of(bool) { return 1; }

class Decoder {
  public:
    explicit Decoder(ByteReader& in) : in_(in) {}

    template <class Body>
    void where(bool condition, Body body) {
        if (condition) body();
    }

    template <class T>
    void operator()(Field, T& value, Coding coding) {
        if constexpr (std::is_same_v<T, std::int32_t>) {
            value = coding == Coding::plain ? in_.svarint32()
                                            : in_.natural32() - (coding == Coding::or_none ? 1 : 0);
        } else if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
            if (coding == Coding::rest) {
                value = static_cast<T>(in_.ok() && !in_.at_end());
                return;
            }
            const std::uint8_t byte = in_.byte();
            value = static_cast<T>(byte <= last_of(T{}) ? byte : in_.fail());
        } else {
            read(value);
        }
    }

    template <class T>
    void operator()(Field, std::vector<T>& list, Coding coding) {
        std::int64_t rank = 0;
        for (std::size_t left = coding == Coding::single ? 1 : in_.count(); left > 0; --left) {
            read(list.emplace_back());
            if constexpr (std::is_same_v<T, std::int32_t>) {
                if (coding != Coding::differences) continue;
                rank += list.back();
                if (rank < 0 || rank > INT32_MAX) in_.fail();
                list.back() = static_cast<std::int32_t>(rank);
            }
        }
    }

  private:
    void read(std::uint32_t& value) { value = in_.varint32(); }
    void read(std::uint64_t& value) { value = in_.varint(); }
    void read(std::int32_t& value) { value = in_.svarint32(); }
    void read(Completion& value) {
        const std::uint64_t coded = in_.varint();
        value.reference = coded >> 1;
        value.was_wildcard = (coded & 1) != 0;
        if (value.was_wildcard) {
            read(value.peer);
            read(value.tag);
        }
    }

    ByteReader& in_;
};

class Encoder {
  public:
    explicit Encoder(std::vector<std::uint8_t>& out) : out_(out) {}

    template <class Body>
    void where(bool condition, Body body) {
        if (condition) body();
    }

    template <class T>
    void operator()(Field, T value, Coding coding) {
        if constexpr (std::is_same_v<T, std::int32_t>) {
            if (coding == Coding::plain) {
                write(value);
            } else {
                append_varint(out_, static_cast<std::uint64_t>(std::int64_t{value} +
                                                               (coding == Coding::or_none ? 1 : 0)));
            }
        } else if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
            if (coding != Coding::rest) out_.push_back(static_cast<std::uint8_t>(value));
        } else {
            write(value);
        }
    }

    template <class T>
    void operator()(Field, const std::vector<T>& list, Coding coding) {
        if (coding == Coding::single) {
            write(list.empty() ? T{} : list.front());
            return;
        }
        append_varint(out_, list.size());
        std::int64_t before = 0;
        for (const T& value : list) {
            if constexpr (std::is_same_v<T, std::int32_t>) {
                append_svarint(out_, value - before);
                before = coding == Coding::differences ? value : 0;
            } else {
                write(value);
            }
        }
    }

  private:
    void write(std::uint64_t value) { append_varint(out_, value); }
    void write(std::uint32_t value) { append_varint(out_, value); }
    void write(std::int32_t value) { append_svarint(out_, value); }
    void write(const Completion& value) {
        append_varint(out_, 2 * value.reference + (value.was_wildcard ? 1 : 0));
        if (value.was_wildcard) {
            write(value.peer);
            write(value.tag);
        }
    }

    std::vector<std::uint8_t>& out_;
};

}  // namespace

bool decode_shape(std::span<const std::uint8_t> payload, Shape& shape) {
    // An assignment keeps the memory of the vectors from shape to shape.
    static const Shape fresh;
    shape = fresh;
    ByteReader in(payload.data(), payload.data() + payload.size());
    shape.name = in.varint32();
    const std::uint8_t class_byte = in.byte();
    if (!in.ok() || class_byte > static_cast<std::uint8_t>(last_class)) return false;
    shape.call_class = static_cast<CallClass>(class_byte);
    visit_fields(shape, Decoder(in));
    return in.ok() && in.at_end();
}

void encode_shape(const Shape& shape, std::vector<std::uint8_t>& out) {
    append_varint(out, shape.name);
    out.push_back(static_cast<std::uint8_t>(shape.call_class));
    visit_fields(shape, Encoder(out));
}

}  // namespace linkworth::tracefile
