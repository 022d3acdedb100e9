// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/record_rewrite.hpp"

#include <algorithm>
#include <utility>

#include "trace/shape_codec.hpp"
#include "trace/varint.hpp"

namespace linkworth::tracefile {
namespace {

/// Centuries. Later times are nonsense, and would not fit.
constexpr double latest_step = 9e18;
/// Most bytes of a number of a thread, an overlap and an event.
constexpr std::size_t most_event_bytes = 8 * longest_varint;

}  // namespace

std::uint64_t TimeGrid::steps(std::uint64_t ticks) const {
    const auto since = static_cast<std::int64_t>(ticks - start_ticks_);
    const double steps = start_ + static_cast<double>(since) * steps_per_tick_;
    return static_cast<std::uint64_t>(std::clamp(steps, 0.0, latest_step) + 0.5);
}

bool RecordRewriter::is_followed_by(const PartBlock& block) const {
    return events_ > 0 && block.base_ticks == ticks_ && block.next_request == next_request_;
}

void RecordRewriter::clear() {
    used_ = 0;
    numbers_.clear();
    events_ = 0;
    cpu_ = 0;
    cpu_written_ = 0;
    thread_ = 0;
}

RecordRewriter::OutShape RecordRewriter::take_shape(std::span<const std::uint8_t> payload) {
    ByteReader in(payload.data(), payload.data() + payload.size());
    payload_.clear();
    append_varint(payload_, new_number_.at(in.varint32()));
    payload_.insert(payload_.end(), in.position(), payload.data() + payload.size());
    const bool requests = !in.at_end() && makes_request(static_cast<CallClass>(*in.position()));
    const auto [known, is_new] = numbers_.try_emplace(payload_, numbers_.size());
    if (is_new) {
        std::uint8_t* const at =
            put_varint(put_varint(room(most_event_bytes + payload_.size()), head_shape), payload_.size());
        used_ = static_cast<std::size_t>(std::ranges::copy(payload_, at).out - out_.data());
    }
    return {known->second, requests};
}

/// Moves the clock on; in units of the output.
std::uint64_t RecordRewriter::advance(std::uint64_t by) {
    ticks_ += by;
    if (grid_ == nullptr) return by;
    const std::uint64_t then = grid_->steps(ticks_);
    return then - std::exchange(now_, then);
}

std::uint64_t RecordRewriter::rounded_cpu(std::uint64_t cpu) {
    if (grid_ == nullptr) return cpu;
    cpu_ += cpu;
    const std::uint64_t step = grid_->step_ns();
    const std::uint64_t rounded = (cpu_ - cpu_written_ + step / 2) / step * step;
    cpu_written_ += rounded;
    return rounded;
}

void RecordRewriter::add(const PartBlock& block) {
    if (events_ == 0) {
        base_ticks_ = block.base_ticks;
        first_request_ = block.next_request;
        next_request_ = block.next_request;
        ticks_ = block.base_ticks;
        now_ = grid_ != nullptr ? grid_->steps(ticks_) : 0;
    }
    events_ += block.events;
    shapes_.clear();
    std::uint64_t thread = 0;
    std::uint64_t overlap = 0;
    ByteReader in(block.records.data(), block.records.data() + block.records.size());
    while (!in.at_end()) {
        const std::uint64_t head = in.varint();
        if (head == head_end) break;
        if (head == head_shape) {
            const std::size_t size = in.count();
            shapes_.push_back(take_shape({in.position(), size}));
            in.skip(size);
        } else if (head == head_overlap) {
            overlap = in.varint();
        } else if (head == head_thread) {
            thread = in.varint();
        } else {
            const OutShape& shape = shapes_.at((head - head_event) / 2);
            std::uint8_t* at = room(most_event_bytes);
            if (thread != thread_) {
                at = put_varint(put_varint(at, head_thread), thread);
                thread_ = thread;
            }
            const std::uint64_t gap = advance(in.varint());
            if (overlap > 0) {
                at = put_varint(at, head_overlap);
                at = put_varint(at, grid_ != nullptr ? now_ - grid_->steps(ticks_ - overlap) : overlap);
                overlap = 0;
            }
            at = put_varint(at, head_event + 2 * std::uint64_t{shape.number} + (head & 1));
            at = put_varint(at, gap);
            if ((head & 1) != 0) at = put_varint(at, rounded_cpu(in.varint()));
            at = put_varint(at, advance(in.varint()));
            used_ = static_cast<std::size_t>(at - out_.data());
            next_request_ += shape.makes_request ? 1 : 0;
        }
    }
}

}  // namespace linkworth::tracefile
