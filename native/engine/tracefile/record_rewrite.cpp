// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "tracefile/record_rewrite.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tracefile/shape_codec.hpp"
#include "tracefile/varint.hpp"

namespace linkworth::tracefile {
namespace {

void copy_shape(ByteReader& in, const std::vector<std::uint32_t>& new_number,
                std::vector<std::uint8_t>& out) {
    const std::size_t size = in.count();
    const std::uint8_t* const end = in.position() + size;
    std::vector<std::uint8_t> payload;
    append_varint(payload, new_number.at(in.varint32()));
    payload.insert(payload.end(), in.position(), end);
    in.skip(static_cast<std::size_t>(end - in.position()));
    append_varint(out, head_shape);
    append_varint(out, payload.size());
    out.insert(out.end(), payload.begin(), payload.end());
}

}  // namespace

std::uint64_t TimeGrid::steps(std::uint64_t ticks) const {
    const auto since = static_cast<std::int64_t>(ticks - start_ticks_);
    const double steps = start_ + static_cast<double>(since) * steps_per_tick_;
    return static_cast<std::uint64_t>(std::llround(std::max(0.0, steps)));
}

std::vector<std::uint8_t> rewrite_records(const PartBlock& block,
                                          const std::vector<std::uint32_t>& new_number,
                                          const TimeGrid* grid) {
    std::vector<std::uint8_t> out;
    out.reserve(block.records.size() + block.records.size() / 8);
    std::uint64_t ticks = block.base_ticks;
    std::uint64_t now = grid != nullptr ? grid->steps(ticks) : 0;
    std::uint64_t cpu = 0;          // nanoseconds since the block's start
    std::uint64_t cpu_written = 0;  // of them
    std::uint64_t overlap = 0;
    // Moves the clock on; in units of the output.
    const auto advance = [&](std::uint64_t by) {
        if (grid == nullptr) {
            return by;
        }
        ticks += by;
        const std::uint64_t then = grid->steps(ticks);
        return then - std::exchange(now, then);
    };
    ByteReader in(block.records.data(), block.records.data() + block.records.size());
    while (!in.at_end()) {
        const std::uint64_t head = in.varint();
        if (head == head_end) {
            break;
        }
        if (head == head_shape) {
            copy_shape(in, new_number, out);
        } else if (head == head_overlap) {
            overlap = in.varint();
        } else if (head < head_event) {
            append_varint(out, head);
            append_varint(out, in.varint());
        } else {
            const std::uint64_t gap = advance(in.varint());
            if (overlap > 0) {
                append_varint(out, head_overlap);
                append_varint(out, grid != nullptr ? now - grid->steps(ticks - overlap) : overlap);
                overlap = 0;
            }
            append_varint(out, head);
            append_varint(out, gap);
            if ((head & 1) != 0) {
                std::uint64_t written = in.varint();
                if (grid != nullptr) {
                    cpu += written;
                    const std::uint64_t step = grid->step_ns();
                    written = (cpu - cpu_written + step / 2) / step * step;
                    cpu_written += written;
                }
                append_varint(out, written);
            }
            append_varint(out, advance(in.varint()));
        }
    }
    return out;
}

}  // namespace linkworth::tracefile
