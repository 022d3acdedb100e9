// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/scan.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <utility>

#include "profile/rank_scan.hpp"

namespace linkworth::profile {
namespace {

/// Long enough for a rank's data to come into the cache and be used there, short enough to keep messages from
/// piling up.
constexpr std::uint64_t events_in_turn = 256;

}  // namespace

Scan::Scan(const tracefile::Trace& trace, std::uint32_t matrix_rows, std::vector<std::uint32_t> nodes,
           ActivityMap* wanted)
    : calls(trace.entries().size()),
      ranks(trace.ranks()),
      traffic(trace.ranks(), matrix_rows, std::move(nodes)),
      waits(trace.ranks(), trace.names().size(), wanted),
      activities(wanted),
      names(replay::describe_names(trace.names())) {}

Scan scan(const tracefile::Trace& trace, std::uint32_t matrix_rows, std::vector<std::uint32_t> nodes,
          const replay::collectives::Rules& rules, LoopWalk* walk, ActivityMap* activities) {
    Scan result(trace, matrix_rows, std::move(nodes), activities);
    replay::Communicators communicators(trace.ranks());
    std::array<tracefile::EventRow, tracefile::rows_at_once> rows;
    std::vector<std::unique_ptr<RankScan>> scans;
    using Turn = std::pair<double, std::uint32_t>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        scans.push_back(std::make_unique<RankScan>(trace, rank, communicators, rules, result, rows,
                                                   rank == 0 ? walk : nullptr));
        turns.emplace(0.0, rank);
    }
    // The rank that is furthest behind in recorded time goes next, so that messages find their partners soon.
    while (!turns.empty()) {
        const std::uint32_t rank = turns.top().second;
        turns.pop();
        if (scans[rank]->advance(events_in_turn)) turns.emplace(scans[rank]->now(), rank);
    }
    result.waits.finish();
    return result;
}

ActivityMap activities(const tracefile::Trace& trace) {
    double origin = std::numeric_limits<double>::infinity();
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        tracefile::RankCursor cursor = trace.cursor(rank);
        tracefile::Event event;
        double now = 0;
        double base = 0;
        bool began = false;
        // The tracer aligns the ranks' clocks after MPI_Init, so that the next block may begin later.
        while (cursor.next(event)) {
            if (cursor.block_base_seconds() != base) base = now = cursor.block_base_seconds();
            if (began) break;
            now += event.gap_seconds + event.duration_seconds;
            began = event.shape->call_class == tracefile::CallClass::init;
        }
        origin = std::min(origin, began ? now : 0.0);
    }
    ActivityMap found(trace.ranks(), origin);
    scan(trace, 1, {}, {}, nullptr, &found);
    return found;
}

}  // namespace linkworth::profile
