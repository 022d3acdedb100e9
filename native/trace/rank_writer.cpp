// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/rank_writer.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "trace/shape_codec.hpp"
#include "trace/trace.hpp"

namespace linkworth::tracefile {

std::uint32_t RankWriter::shape(const Shape& shape) {
    payload_.clear();
    encode_shape(shape, payload_);
    if (const auto known = shapes_.find(payload_); known != shapes_.end()) return known->second;
    if (!decode_shape(payload_, checked_)) {
        throw TraceError(
            "a call of class " + std::to_string(static_cast<int>(shape.call_class)) +
            " has a field that the trace format cannot hold (a negative communicator, or a rank beyond 32 "
            "bits)");
    }
    grow(payload_.size() + 2 * longest_varint);
    std::uint8_t* at = put_varint(put_varint(raw_.data() + used_, head_shape), payload_.size());
    std::memcpy(at, payload_.data(), payload_.size());
    used_ = static_cast<std::size_t>(at - raw_.data()) + payload_.size();
    return shapes_.emplace(payload_, shapes_.size()).first->second;
}

void RankWriter::grow(std::size_t bytes) {
    if (raw_.size() - used_ < bytes) raw_.resize(std::max(block_bytes + most_event_bytes, used_ + bytes));
}

void RankWriter::flush() {
    if (events_ == 0) return;
    BlockHeader header;
    header.rank = rank_;
    header.sequence = sequence_++;
    header.events = events_;
    header.base_ns = base_ns_;
    header.next_request = first_request_;
    header.seconds_per_tick = 1e-9;
    sink_->append(header, {raw_.data(), used_});
    used_ = 0;
    shapes_.clear();
    flushed_events_ += events_;
    events_ = 0;
    thread_ = 0;
    base_ns_ = clock_ns_;
    first_request_ = next_request_;
}

}  // namespace linkworth::tracefile
