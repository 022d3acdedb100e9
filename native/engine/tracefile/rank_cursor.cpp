// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "tracefile/trace.hpp"
#include "tracefile/trace_data.hpp"
#include "tracefile/zstd.hpp"

namespace linkworth::tracefile {
namespace {

// A record has at most four varints; so many zero bytes after a block let one be read before its end is
// checked.
constexpr std::size_t padding = 4 * longest_varint + 8;
constexpr std::array<std::uint8_t, padding> nothing{};

/// Cursors share it, because blocks are independent and it is larger than what one rank has of them.
Decompressor& decompressor() {
    thread_local Decompressor shared;
    return shared;
}

bool is_collective(CallClass call_class) {
    return call_class == CallClass::collective || call_class == CallClass::icollective ||
           call_class == CallClass::collective_init;
}

}  // namespace

struct RankCursor::State {
    std::shared_ptr<const TraceData> data;
    std::uint32_t rank = 0;
    std::size_t next_block = 0;
    IndexEntry block;
    std::vector<std::uint8_t> raw;
    std::vector<std::unique_ptr<Shape>> shapes;  ///< kept from block to block for their memory
    std::vector<Damage> damage;
};

RankCursor::RankCursor(std::shared_ptr<const TraceData> data, std::uint32_t rank)
    : position_(nothing.data()), end_(nothing.data()), state_(std::make_unique<State>()) {
    state_->rank = rank;
    state_->next_block = data->first_block[rank];
    state_->data = std::move(data);
}

RankCursor::RankCursor(RankCursor&&) noexcept = default;
RankCursor& RankCursor::operator=(RankCursor&&) noexcept = default;
RankCursor::~RankCursor() = default;

const std::vector<Damage>& RankCursor::damage() const { return state_->damage; }

bool RankCursor::load_next_block() {
    const TraceData& data = *state_->data;
    shapes_.clear();
    while (state_->next_block < data.first_block[state_->rank + std::size_t{1}]) {
        state_->block = data.blocks[state_->next_block++];
        const auto rest = data.bytes.subspan(state_->block.offset);
        const BlockHeader header = decode_block_header(rest).value();
        const auto stored = rest.subspan(header_bytes, header.stored_bytes);
        state_->raw.resize(header.raw_bytes + padding);
        if (header.codec == codec_none) {
            std::memcpy(state_->raw.data(), stored.data(), stored.size());
        } else if (!decompressor().expand(stored, state_->raw.data(), header.raw_bytes)) {
            give_up_block(nullptr, "does not expand to its size");
            continue;
        }
        std::memset(state_->raw.data() + header.raw_bytes, 0, padding);
        position_ = state_->raw.data();
        end_ = position_ + header.raw_bytes;
        seconds_per_tick_ = header.seconds_per_tick;
        next_request_ = header.next_request;
        thread_ = 0;
        block_base_seconds_ = static_cast<double>(header.base_ns) * 1e-9;
        ++blocks_;
        if (block_base_seconds_ >= data.until_seconds) {
            end_ = position_;
            return false;
        }
        if (std::isfinite(data.until_seconds)) {
            cut_block((data.until_seconds - block_base_seconds_) / seconds_per_tick_);
        }
        return true;
    }
    return false;
}

/// Ends the block before the first event that starts so many ticks after the block's base.
void RankCursor::cut_block(double ticks) {
    const std::uint8_t* at = position_;
    double now = 0;
    while (at < end_) {
        const std::uint8_t* const record = at;
        const std::uint64_t head = read_varint(at);
        if (head == head_shape) {
            const std::uint64_t size = read_varint(at);
            if (at > end_ || size > static_cast<std::uint64_t>(end_ - at)) {
                return;
            }
            at += size;
        } else if (head < head_event) {
            return;
        } else {
            now += static_cast<double>(read_varint(at));
            if (now >= ticks) {
                const auto length = static_cast<std::size_t>(record - position_);
                end_ = position_ + length;
                std::memset(state_->raw.data() + length, 0, padding);
                return;
            }
            if ((head & 1) != 0) {
                read_varint(at);
            }
            now += static_cast<double>(read_varint(at));
        }
    }
}

void RankCursor::give_up_block(const std::uint8_t* at, std::string what) {
    std::string place =
        "block " + std::to_string(state_->block.sequence) + " of rank " + std::to_string(state_->rank);
    if (at != nullptr) {
        place += " at byte " + std::to_string(at - state_->raw.data());
    }
    state_->damage.push_back({static_cast<std::int32_t>(state_->rank), state_->block.offset,
                              place + " " + what + ": the rest of the block is left out"});
    position_ = nothing.data();
    end_ = nothing.data();
}

bool RankCursor::define_shape(const std::uint8_t*& at) {
    const std::uint64_t size = read_varint(at);
    if (at > end_ || size > static_cast<std::uint64_t>(end_ - at)) {
        return false;
    }
    const std::size_t number = shapes_.size();
    if (number == state_->shapes.size()) {
        state_->shapes.push_back(std::make_unique<Shape>());
    }
    Shape& shape = *state_->shapes[number];
    if (!decode_shape({at, static_cast<std::size_t>(size)}, shape) ||
        shape.name >= state_->data->entries.size()) {
        return false;
    }
    shape.entry = shape.name;
    shape.name = state_->data->name_of_entry[shape.entry];
    if (is_collective(shape.call_class)) {
        shape.collective = state_->data->collectives[shape.name];
    }
    shapes_.push_back({&shape, makes_request(shape.call_class) ? std::uint64_t{1} : std::uint64_t{0}});
    at += size;
    return true;
}

bool RankCursor::next_slowly(Event& event) {
    std::uint64_t overlap = 0;
    for (;;) {
        const std::uint8_t* at = position_;
        const std::uint64_t head = read_varint(at);
        if (head == head_end || position_ >= end_) {
            if (!load_next_block()) {
                position_ = nothing.data();
                end_ = nothing.data();
                return false;
            }
        } else if (at > end_) {
            give_up_block(position_, "ends inside a record");
        } else if (head == head_shape) {
            if (!define_shape(at)) {
                give_up_block(position_, "has a malformed shape");
            } else {
                position_ = at;
            }
        } else if (head == head_thread) {
            thread_ = static_cast<std::uint32_t>(read_varint(at));
            position_ = at;
        } else if (head == head_overlap) {
            overlap = read_varint(at);
            position_ = at;
        } else if (head < head_event) {
            give_up_block(position_, "has an unknown record (" + std::to_string(head) + ")");
        } else if ((head - head_event) / 2 >= shapes_.size()) {
            give_up_block(position_, "uses a shape that it does not define");
        } else {
            read_varint(at);
            if ((head & 1) != 0) {
                read_varint(at);
            }
            read_varint(at);
            if (at > end_) {
                give_up_block(position_, "ends inside a record");
            } else {
                const bool found = next(event);
                event.overlap_seconds = static_cast<double>(overlap) * seconds_per_tick_;
                return found;
            }
        }
    }
}

}  // namespace linkworth::tracefile
