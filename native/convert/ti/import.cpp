// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/ti/import.hpp"

#include <algorithm>
#include <utility>

#include "convert/ti/lines.hpp"
#include "convert/ti/rank_import.hpp"
#include "convert/ti/ti.hpp"
#include "trace/writer.hpp"

namespace linkworth::convert {
namespace {

std::uint32_t ranks_in(const std::string& path) {
    TiLines lines(path);
    std::uint32_t ranks = 0;
    while (lines.next()) ranks = std::max(ranks, lines.rank() + 1);
    return ranks;
}

void read_rank(TiImport& import, std::uint32_t rank, const std::string& path) {
    TiLines lines(path);
    TiRankImport actions(import, rank);
    while (lines.next()) {
        if (lines.rank() != rank)
            lines.fail("an action of rank " + std::to_string(lines.rank()) + " in the file of rank " +
                       std::to_string(rank));
        actions.take(lines);
    }
    import.writer.finish(rank);
}

void read_together(TiImport& import, const std::string& path) {
    TiLines lines(path);
    std::vector<TiRankImport> actions;
    for (std::uint32_t rank = 0; rank < import.ranks; ++rank) actions.emplace_back(import, rank);
    while (lines.next()) actions[lines.rank()].take(lines);
}

}  // namespace

TiImportResult read_ti(const std::vector<std::string>& paths, double flops_per_second,
                       const std::string& output, const std::string& metadata_json) {
    check_flops_per_second(flops_per_second);
    TiImportResult result;
    const bool together = paths.size() == 1;
    result.ranks = together ? ranks_in(paths[0]) : static_cast<std::uint32_t>(paths.size());
    tracefile::TraceWriter writer(output, result.ranks, metadata_json);
    TiImport import{writer, result.ranks, flops_per_second, result};
    if (together)
        read_together(import, paths[0]);
    else
        for (std::uint32_t rank = 0; rank < result.ranks; ++rank) read_rank(import, rank, paths[rank]);
    writer.close();
    result.bytes = writer.bytes();
    return result;
}

}  // namespace linkworth::convert
