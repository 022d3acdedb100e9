// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Messages that the non-blocking receives with wildcards of a rank took when they were recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

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
                if (done.was_wildcard) matches_[event.next_request - done.reference].push_back(done);
    }

    /// Returns the match of the next receive of this request, or null if the trace has none. A persistent
    /// request has one for each start.
    const tracefile::Completion* next(std::uint64_t request) {
        const auto found = matches_.find(request);
        if (found == matches_.end()) return nullptr;
        const std::size_t place = taken_[request]++;
        return place < found->second.size() ? &found->second[place] : nullptr;
    }

  private:
    std::unordered_map<std::uint64_t, std::vector<tracefile::Completion>> matches_;  ///< [request]
    std::unordered_map<std::uint64_t, std::size_t> taken_;                           ///< [request]
};

}  // namespace linkworth::replay
