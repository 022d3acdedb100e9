// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/event_records.hpp"

#include <algorithm>

#include "trace/shape_codec.hpp"
#include "trace/time_symbols.hpp"
#include "trace/varint.hpp"

namespace linkworth::tracefile {

bool read_event_records(std::span<const std::uint8_t> records, EventRecords& out) {
    out.shapes.clear();
    out.heads.clear();
    out.gaps.clear();
    out.durations.clear();
    out.cpu.clear();
    out.notes.clear();
    ByteReader in(records.data(), records.data() + records.size());
    while (in.ok() && !in.at_end()) {
        const std::uint64_t head = in.varint();
        if (head == head_end) {
            const auto rest = records.last(in.left());
            return in.ok() && std::ranges::all_of(rest, [](std::uint8_t byte) { return byte == 0; });
        }
        if (head == head_shape) {
            const std::size_t size = in.count();
            out.shapes.emplace_back(in.position(), size);
            in.skip(size);
        } else if (head == head_thread || head == head_overlap) {
            out.notes.push_back(
                {static_cast<std::uint32_t>(out.heads.size()), head == head_overlap, in.varint()});
        } else if (head < head_event || (head - head_event) / 2 >= out.shapes.size()) {
            return false;
        } else {
            out.heads.push_back(static_cast<std::uint32_t>(head - head_event));
            out.gaps.push_back(in.varint());
            if ((head & 1) != 0) out.cpu.push_back(in.varint());
            out.durations.push_back(in.varint());
        }
    }
    const auto symbols = [](const std::vector<std::uint64_t>& ticks, std::vector<std::uint8_t>& to) {
        to.resize(ticks.size());
        std::ranges::transform(ticks, to.begin(), symbol_of);
    };
    symbols(out.gaps, out.gap_symbols);
    symbols(out.durations, out.duration_symbols);
    const bool last_note_has_event = out.notes.empty() || out.notes.back().event < out.heads.size();
    return in.ok() && last_note_has_event;
}

}  // namespace linkworth::tracefile
