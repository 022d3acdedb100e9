// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/ti/ti.hpp"

#include <algorithm>
#include <cmath>

#include "convert/convert_error.hpp"
#include "convert/ti/rank.hpp"

namespace linkworth::convert {
namespace {

bool marks_a_region(const tracefile::Trace& trace) {
    tracefile::Event event;
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        tracefile::RankCursor cursor = trace.cursor(rank);
        while (cursor.next(event))
            if (event.shape->call_class == tracefile::CallClass::pcontrol && event.shape->code > 0)
                return true;
    }
    return false;
}

void write_list(const TiOptions& options, std::uint32_t ranks) {
    TextFile list(options.folder + "/ti.txt");
    for (std::uint32_t rank = 0; rank < ranks; ++rank) list << "rank-" << rank << ".txt\n";
    list.close();
}

/// Requires the marked region to be closed in itself: a message that crosses its edge would never end.
void check_region(const TiRun& run) {
    const auto [least, most] =
        std::minmax_element(run.world_collectives.begin(), run.world_collectives.end());
    const bool same = run.world_collectives.empty() || *least == *most;
    if (run.result.unmatched > 0 || !same)
        throw ConvertError(
            "communication crosses the edges of the part that MPI_Pcontrol marks; convert the whole run with "
            "--whole");
}

}  // namespace

void check_flops_per_second(double rate) {
    if (!std::isfinite(rate) || rate <= 0)
        throw ConvertError("flops per second are " + std::to_string(rate) + "; give a finite number above 0");
}

TiResult write_ti(const tracefile::Trace& trace, const TiOptions& options) {
    check_flops_per_second(options.flops_per_second);
    TiRun run(trace, options);
    run.result.marked_region = !options.whole && marks_a_region(trace);
    try {
        for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank)
            TiRank(run, rank, options.folder + "/rank-" + std::to_string(rank) + ".txt").convert();
    } catch (const std::logic_error& impossible) {
        throw impossible_call(impossible);
    }
    run.result.unmatched = run.balance.unmatched();
    if (run.result.marked_region) check_region(run);
    write_list(options, trace.ranks());
    return run.result;
}

}  // namespace linkworth::convert
