// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/scan.hpp"

#include "profile/rank_scan.hpp"

namespace linkworth::profile {

Scan::Scan(const tracefile::Trace& trace, std::uint32_t matrix_rows)
    : calls(trace.names().size()), ranks(trace.ranks()), traffic(trace.ranks(), matrix_rows) {}

Scan scan(const tracefile::Trace& trace, std::uint32_t matrix_rows) {
    Scan result(trace, matrix_rows);
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        RankScan(trace, rank, result).run();
    }
    return result;
}

}  // namespace linkworth::profile
