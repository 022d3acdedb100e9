// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "trace/trace.hpp"
#include "trace/trace_data.hpp"

namespace linkworth::tracefile {
namespace {

/// Returns the time, in seconds, at which the rank of this cursor has made this many events.
double time_after(RankCursor cursor, std::uint64_t events) {
    std::uint64_t block = 0;
    double now = 0;
    Event event;
    for (; events > 0 && cursor.next(event); --events) {
        if (cursor.blocks() != block) {
            block = cursor.blocks();
            now = cursor.block_base_seconds();
        }
        now += event.gap_seconds + event.duration_seconds;
    }
    return now;
}

std::uint64_t count_events(const Trace& trace) {
    std::array<EventRow, rows_at_once> memory;
    std::uint64_t count = 0;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        RankCursor cursor = trace.cursor(rank);
        for (auto rows = cursor.next_rows(memory); !rows.empty(); rows = cursor.next_rows(memory))
            count += rows.size();
    }
    return count;
}

}  // namespace

std::shared_ptr<const Trace> Trace::beginning(std::uint64_t events) const {
    auto data = std::make_shared<TraceData>();
    static_cast<TraceContents&>(*data) = *data_;
    data->whole = data_;
    const std::shared_ptr<const Trace> found(new Trace(data));
    if (data_->events > events) {
        // All ranks end at the time when the one with most events has made its share of them.
        const std::vector<std::uint64_t> of_rank = rank_events();
        const auto longest = std::ranges::max_element(of_rank);
        const double part = static_cast<double>(events) / static_cast<double>(data_->events);
        const auto its_part = static_cast<std::uint64_t>(part * static_cast<double>(*longest));
        data->until_seconds =
            time_after(cursor(static_cast<std::uint32_t>(longest - of_rank.begin())), its_part);
        data->events = count_events(*found);
    }
    return found;
}

}  // namespace linkworth::tracefile
