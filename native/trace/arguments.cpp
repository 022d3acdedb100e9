// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/arguments.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/column_layout.hpp"
#include "trace/shape_codec.hpp"
#include "trace/varint.hpp"

namespace linkworth::tracefile {
namespace {

constexpr std::size_t peers = 0;
constexpr std::size_t sizes = 2;
static_assert(head_width(most_shapes_of_a_byte) < head_width(most_shapes_of_a_byte + 1));

std::uint64_t word(std::int32_t value) { return static_cast<std::uint64_t>(std::int64_t{value}); }
std::int32_t rank_or_tag(std::uint64_t word) { return static_cast<std::int32_t>(word); }

bool is_value(std::size_t argument, std::uint64_t value) {
    if (argument == sizes) return true;
    const std::int32_t wildcard = argument == peers ? any_source : any_tag;
    return word(rank_or_tag(value)) == value && rank_or_tag(value) != wildcard;
}

}  // namespace

bool can_open(const Shape& shape) {
    switch (shape.call_class) {
        case CallClass::send:
        case CallClass::isend:
        case CallClass::recv:
        case CallClass::irecv: return !is_wildcard(shape.peer, shape.tag);
        default: return false;
    }
}

void open_shapes(EventRecords& records) {
    for (auto& column : records.arguments) column.clear();
    records.is_open.assign(records.shapes.size(), false);
    if (records.shapes.size() <= most_shapes_of_a_byte) return;
    struct Place {
        std::uint32_t number = 0;
        bool is_open = false;
        std::array<std::uint64_t, argument_count> arguments{};
    };
    std::vector<Place> places;  // by old number
    std::vector<std::span<const std::uint8_t>> shapes;
    std::vector<bool> is_open;
    std::vector<std::pair<std::size_t, std::size_t>> opened;  // new number, offset in the payloads
    std::map<std::tuple<std::uint32_t, CallClass, std::int32_t>, std::uint32_t> numbers;
    records.open_payloads.clear();
    Shape shape;
    for (const auto payload : records.shapes) {
        const auto next = static_cast<std::uint32_t>(shapes.size());
        if (!decode_shape(payload, shape) || !can_open(shape)) {
            places.push_back({next, false, {}});
            shapes.push_back(payload);
            is_open.push_back(false);
            continue;
        }
        const auto [known, is_new] = numbers.try_emplace({shape.name, shape.call_class, shape.comm}, next);
        places.push_back({known->second, true, {word(shape.peer), word(shape.tag), shape.bytes}});
        if (is_new) {
            shape.peer = shape.tag = 0;
            shape.bytes = 0;
            opened.emplace_back(next, records.open_payloads.size());
            encode_shape(shape, records.open_payloads);
            shapes.emplace_back();
            is_open.push_back(true);
        }
    }
    for (std::size_t at = opened.size(), end = records.open_payloads.size(); at-- > 0;) {
        const auto [number, offset] = opened[at];
        shapes[number] = std::span(records.open_payloads).subspan(offset, end - offset);
        end = offset;
    }
    for (std::uint32_t& head : records.heads) {
        const Place& place = places[head >> 1];
        head = 2 * place.number + (head & 1);
        for (std::size_t argument = 0; place.is_open && argument < argument_count; ++argument)
            records.arguments[argument].push_back(place.arguments[argument]);
    }
    records.shapes = std::move(shapes);
    records.is_open = std::move(is_open);
}

void ArgumentDecoder::clear() {
    is_open_.clear();
    for (List& list : lists_) list.columns = 0;
    next_ = 0;
}

bool ArgumentDecoder::read_values(ByteReader& in) {
    for (std::size_t argument = 0; argument < argument_count; ++argument) {
        List& list = lists_[argument];
        list.values.clear();
        std::uint64_t value = 0;
        for (std::size_t left = in.count(); left > 0; --left) {
            value += static_cast<std::uint64_t>(in.svarint());
            if (!is_value(argument, value)) return false;
            list.values.push_back(value);
        }
        list.columns = place_bytes(list.values.size());
    }
    return in.ok();
}

void ArgumentDecoder::set_columns(std::span<const std::uint8_t* const> columns) {
    for (List& list : lists_) {
        std::copy_n(columns.begin(), list.columns, list.bytes.begin());
        columns = columns.subspan(list.columns);
    }
}

bool ArgumentDecoder::read(std::span<EventRow> rows, std::span<Arguments> out) {
    std::size_t next = next_;
    const auto place_in = [&next](const List& list) {
        std::size_t place = list.bytes[0][next];
        for (std::size_t byte = 1; byte < list.columns; ++byte)
            place |= std::size_t{list.bytes[byte][next]} << (8 * byte);
        return place;
    };
    const auto& [peer_list, tag_list, size_list] = lists_;
    const std::span peer_values(peer_list.values);
    const std::span tag_values(tag_list.values);
    const std::span size_values(size_list.values);
    for (std::size_t at = 0; at < rows.size(); ++at) {
        if (is_open_[rows[at].shape] == 0) continue;
        const std::size_t peer = place_in(peer_list);
        const std::size_t tag = place_in(tag_list);
        const std::size_t size = place_in(size_list);
        if (peer >= peer_values.size() || tag >= tag_values.size() || size >= size_values.size())
            return false;
        out[at] = {size_values[size], rank_or_tag(peer_values[peer]), rank_or_tag(tag_values[tag])};
        rows[at].has_arguments = true;
        ++next;
    }
    next_ = next;
    return true;
}

}  // namespace linkworth::tracefile
