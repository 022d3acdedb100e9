// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Messages that the non-blocking receives with wildcards of a rank took when they were recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <unordered_map>

#include "calls/event.hpp"
#include "trace/trace.hpp"

namespace linkworth::replay {

class RecordedMatches {
  public:
    RecordedMatches(const tracefile::Trace& trace, std::uint32_t rank) {
        tracefile::RankCursor cursor = trace.cursor(rank);
        tracefile::Event event;
        while (cursor.next(event))
            for (const tracefile::Completion& done : event.shape->completions)
                if (done.was_wildcard) matches_[event.next_request - done.reference].push(done);
    }

    /// Returns the match of the next receive of this request, if the trace has one. A persistent request has
    /// one for each start.
    std::optional<tracefile::Completion> next(std::uint64_t request) {
        const auto found = matches_.find(request);
        if (found == matches_.end() || found->second.empty()) return std::nullopt;
        const tracefile::Completion match = found->second.front();
        found->second.pop();
        return match;
    }

  private:
    std::unordered_map<std::uint64_t, std::queue<tracefile::Completion>> matches_;  ///< [request]
};

}  // namespace linkworth::replay
