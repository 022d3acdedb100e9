// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// The locations of a rank's threads, and when their calls are in them.
#include <algorithm>

#include "convert/otf2/rank_writer.hpp"

namespace linkworth::convert {
namespace {

constexpr auto no_location = "a location cannot be written";

}  // namespace

void Otf2RankWriter::edge(lw_otf2_kind kind, std::uint32_t region, std::uint64_t time) {
    lw_otf2_event event{};
    event.kind = kind;
    event.time = time;
    event.region = region;
    put(event);
}

void Otf2RankWriter::convert() {
    open(0);
    TimedEvent timed;
    while (cursor_.next(timed)) {
        if (thread_ends_.empty()) begin_rank(std::min(cursor_.block_base_ns(), timed.start_ns));
        take(timed);
    }
    if (!thread_ends_.empty()) end_rank();
    close_all();
    run_.end_ns = std::max(run_.end_ns, last_);
}

void Otf2RankWriter::open(std::uint32_t thread) {
    otf2_check(run_.library.select_location(run_.writer, otf2_location(rank_, thread)), no_location);
    thread_ = thread;
}

void Otf2RankWriter::close_all() {
    thread_ends_.try_emplace(0, 0);
    for (const auto& [thread, end] : thread_ends_) {
        open(thread);
        std::uint64_t events = 0;
        otf2_check(run_.library.end_location(run_.writer, &events), no_location);
        run_.locations.push_back({rank_, thread, events});
    }
}

void Otf2RankWriter::begin_rank(std::uint64_t time) {
    thread_ends_.emplace(0, time);
    begin_ = last_ = time;
    edge(LW_OTF2_PROGRAM_BEGIN, program_string, time);
    edge(LW_OTF2_ENTER, program_region, time);
}

void Otf2RankWriter::end_rank() {
    for (const auto& [thread, end] : thread_ends_) {
        open(thread);
        edge(LW_OTF2_LEAVE, program_region, thread == 0 ? last_ : end);
    }
    open(0);
    edge(LW_OTF2_PROGRAM_END, 0, last_);
}

void Otf2RankWriter::take(const TimedEvent& timed) {
    const std::uint32_t thread = timed.event.thread;
    const bool other = thread != latest_thread_;
    latest_thread_ = thread;
    if (thread != thread_) open(thread);
    const auto [at, begins] = thread_ends_.try_emplace(thread, begin_);
    // Readers merge the locations by time alone, and the order of calls numbers their requests. So a call of
    // another thread must end later than the one before, even if only by a nanosecond.
    const std::uint64_t earliest = timed.event.overlap_seconds > 0 ? at->second : last_;
    const std::uint64_t enter = std::max(timed.start_ns, earliest);
    last_ = std::max({enter, timed.end_ns, last_ + (other ? 1 : 0)});
    at->second = last_;
    if (begins) edge(LW_OTF2_ENTER, program_region, enter);
    call(timed.event, enter, last_);
}

}  // namespace linkworth::convert
