// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tracefile/trace.hpp"
#include "tracefile/trace_data.hpp"

namespace linkworth::tracefile {
namespace {

struct Stretch {
    double from;
    double to;
    double events;
};

/// When each block begins and ends, as the index tells; a rank's last block ends at `end`, with the trace.
std::vector<Stretch> stretches(const TraceData& data, double end) {
    for (const IndexEntry& block : data.blocks) {
        end = std::max(end, static_cast<double>(block.base_ns) * 1e-9);
    }
    std::vector<Stretch> out;
    for (std::size_t at = 0; at < data.blocks.size(); ++at) {
        const IndexEntry& block = data.blocks[at];
        const bool is_last = at + 1 == data.blocks.size() || data.blocks[at + 1].rank != block.rank;
        const double from = static_cast<double>(block.base_ns) * 1e-9;
        out.push_back({from, is_last ? end : static_cast<double>(data.blocks[at + 1].base_ns) * 1e-9,
                       static_cast<double>(block.events)});
    }
    return out;
}

double events_until(const std::vector<Stretch>& all, double time) {
    double events = 0;
    for (const Stretch& stretch : all) {
        const double length = stretch.to - stretch.from;
        const double part = length > 0 ? (time - stretch.from) / length : (time >= stretch.from ? 1.0 : 0.0);
        events += stretch.events * std::clamp(part, 0.0, 1.0);
    }
    return events;
}

}  // namespace

/// The time at which the last block of the longest rank ends, which only its events tell.
double Trace::end_of_longest(const TraceData& data) {
    const IndexEntry* longest = nullptr;
    for (const IndexEntry& block : data.blocks) {
        if (longest == nullptr || block.base_ns >= longest->base_ns) {
            longest = &block;
        }
    }
    if (longest == nullptr) {
        return 0;
    }
    auto alone = std::make_shared<TraceData>();
    alone->bytes = data.bytes;
    alone->names = data.names;
    alone->collectives = data.collectives;
    alone->blocks = {*longest};
    alone->first_block = {0, 1};
    RankCursor cursor(std::move(alone), 0);
    double end = static_cast<double>(longest->base_ns) * 1e-9;
    Event event;
    while (cursor.next(event)) {
        end += event.gap_seconds + event.duration_seconds;
    }
    return end;
}

std::shared_ptr<const Trace> Trace::beginning(std::uint64_t events) const {
    auto data = std::make_shared<TraceData>();
    data->label = data_->label;
    data->bytes = data_->bytes;
    data->header = data_->header;
    data->metadata = data_->metadata;
    data->names = data_->names;
    data->collectives = data_->collectives;
    data->blocks = data_->blocks;
    data->first_block = data_->first_block;
    data->events = data_->events;
    data->raw_bytes = data_->raw_bytes;
    data->damage = data_->damage;
    data->whole = data_;
    if (data_->events > events) {
        const std::vector<Stretch> all = stretches(*data_, end_of_longest(*data_));
        double least = 0;
        double most = 0;
        for (const Stretch& stretch : all) {
            most = std::max(most, stretch.to);
        }
        for (int halving = 0; halving < 50; ++halving) {
            const double middle = (least + most) / 2;
            (events_until(all, middle) < static_cast<double>(events) ? least : most) = middle;
        }
        data->until_seconds = most;
        data->events = static_cast<std::uint64_t>(events_until(all, most));
    }
    return std::shared_ptr<const Trace>(new Trace(std::move(data)));
}

}  // namespace linkworth::tracefile
