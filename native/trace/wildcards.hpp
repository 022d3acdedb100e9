// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Matches of non-blocking receives from any source or with any tag. Their completions, later in the trace,
/// record them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "calls/event.hpp"
#include "trace/trace.hpp"

namespace linkworth::tracefile {

/// Reads one rank's events ahead, only as far as it must.
class Wildcards {
  public:
    Wildcards(const Trace& trace, std::uint32_t rank) : trace_(trace), rank_(rank) {}

    /// Returns the match that the request's next completion records. Call it for every such receive and every
    /// start of a persistent one, in their order. Returns nothing if the request never completes, or was
    /// cancelled before it took a message.
    std::optional<Completion> next_match(std::uint64_t request);

  private:
    const Trace& trace_;
    std::uint32_t rank_;
    std::optional<RankCursor> ahead_;
    std::unordered_map<std::uint64_t, std::deque<Completion>> found_;  ///< by request, not queried yet
};

}  // namespace linkworth::tracefile
