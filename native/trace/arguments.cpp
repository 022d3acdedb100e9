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
constexpr std::size_t tags = 1;
constexpr std::size_t sizes = 2;
static_assert(head_width(most_shapes_of_a_byte) < head_width(most_shapes_of_a_byte + 1));

std::uint64_t word(std::int32_t value) { return static_cast<std::uint64_t>(std::int64_t{value}); }
std::int32_t rank_or_tag(std::uint64_t word) { return static_cast<std::int32_t>(word); }

/// Compares peers and tags as signed numbers and bytes as unsigned ones.
bool precedes(std::size_t argument, std::uint64_t left, std::uint64_t right) {
    return argument == sizes ? left < right
                             : static_cast<std::int64_t>(left) < static_cast<std::int64_t>(right);
}

bool is_value(std::size_t argument, std::uint64_t value) {
    if (argument == sizes) return true;
    const std::int32_t wildcard = argument == peers ? any_source : any_tag;
    return word(rank_or_tag(value)) == value && rank_or_tag(value) != wildcard;
}

std::uint64_t place_of(const ArgumentValues& values, std::size_t argument, std::uint64_t value) {
    const auto& list = values[argument];
    const auto found = std::ranges::lower_bound(
        list, value, [argument](auto left, auto right) { return precedes(argument, left, right); });
    return static_cast<std::uint64_t>(found - list.begin());
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
    records.arguments.clear();
    records.is_open.assign(records.shapes.size(), false);
    if (records.shapes.size() <= most_shapes_of_a_byte) return;
    struct Place {
        std::uint32_t number = 0;
        bool is_open = false;
        Arguments arguments;
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
        places.push_back({known->second, true, {shape.bytes, shape.peer, shape.tag}});
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
        if (place.is_open) records.arguments.push_back(place.arguments);
    }
    records.shapes = std::move(shapes);
    records.is_open = std::move(is_open);
}

ArgumentValues values_of(const std::vector<Arguments>& arguments) {
    ArgumentValues values;
    for (const Arguments& call : arguments) {
        values[peers].push_back(word(call.peer));
        values[tags].push_back(word(call.tag));
        values[sizes].push_back(call.bytes);
    }
    for (std::size_t argument = 0; argument < argument_count; ++argument) {
        auto& list = values[argument];
        std::ranges::sort(list,
                          [argument](auto left, auto right) { return precedes(argument, left, right); });
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return values;
}

std::array<std::uint64_t, argument_count> places_of(const ArgumentValues& values, const Arguments& call) {
    return {place_of(values, peers, word(call.peer)), place_of(values, tags, word(call.tag)),
            place_of(values, sizes, call.bytes)};
}

void write_values(const ArgumentValues& values, std::vector<std::uint8_t>& out) {
    for (const auto& list : values) {
        append_varint(out, list.size());
        std::uint64_t before = 0;
        for (const std::uint64_t value : list) {
            append_svarint(out, static_cast<std::int64_t>(value - before));
            before = value;
        }
    }
}

void ArgumentDecoder::clear() {
    columns_.clear();
    counts_ = {};
    any_ = false;
    next_bit_ = 0;
}

void ArgumentDecoder::add_shape(std::uint32_t column) {
    columns_.push_back(column);
    any_ |= column != 0;
}

bool ArgumentDecoder::read_values(ByteReader& in) {
    for (std::size_t argument = 0; argument < argument_count; ++argument) {
        auto& list = values_[argument];
        list.clear();
        std::uint64_t value = 0;
        for (std::size_t left = in.count(); left > 0; --left) {
            value += static_cast<std::uint64_t>(in.svarint());
            if (!is_value(argument, value)) return false;
            list.push_back(value);
        }
        counts_[argument] = list.size();
    }
    return in.ok();
}

bool ArgumentDecoder::allow(std::size_t argument, std::span<const std::uint8_t> symbols) {
    if (symbols.empty()) return true;
    const SymbolMeaning highest = symbol_table.of[std::ranges::max(symbols)];
    if (highest.base >= most_values) return false;
    auto& list = values_[argument];
    list.resize(std::max<std::size_t>(list.size(), highest.base + (std::uint64_t{1} << highest.bits)));
    return true;
}

bool ArgumentDecoder::read(std::span<EventRow> rows, std::span<const std::uint8_t*> symbols,
                           const std::uint8_t* bits, std::span<Arguments> out) {
    std::uint64_t bit = next_bit_;
    std::uint64_t beyond = 0;
    const std::uint64_t* const peer_values = values_[peers].data();
    const std::uint64_t* const tag_values = values_[tags].data();
    const std::uint64_t* const size_values = values_[sizes].data();
    const auto [peer_count, tag_count, size_count] = counts_;
    const auto lowest = [](std::uint64_t value, std::uint64_t count) {
        return value & ((std::uint64_t{1} << count) - 1);
    };
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const std::uint32_t column = columns_[rows[at].shape];
        if (column == 0) continue;
        const SymbolMeaning peer = symbol_table.of[*symbols[column + peers]++];
        const SymbolMeaning tag = symbol_table.of[*symbols[column + tags]++];
        const SymbolMeaning size = symbol_table.of[*symbols[column + sizes]++];
        const std::uint64_t count = peer.bits + tag.bits + size.bits;
        const std::uint64_t all = read_bits(bits, bit, static_cast<unsigned>(count));
        bit += count;
        const std::uint64_t peer_place = peer.base + lowest(all, peer.bits);
        const std::uint64_t tag_place = tag.base + lowest(all >> peer.bits, tag.bits);
        const std::uint64_t size_place = size.base + (all >> (peer.bits + tag.bits));
        // A place beyond the end gives a difference that wraps.
        beyond |= (peer_count - 1 - peer_place) | (tag_count - 1 - tag_place) | (size_count - 1 - size_place);
        out[at] = {size_values[size_place], rank_or_tag(peer_values[peer_place]),
                   rank_or_tag(tag_values[tag_place])};
        rows[at].has_arguments = true;
    }
    next_bit_ = bit;
    return beyond >> 63 == 0;
}

}  // namespace linkworth::tracefile
