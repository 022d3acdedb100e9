// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Receives that MPI_Cancel takes back, so that they take no message of their channel.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "trace/trace.hpp"

namespace linkworth::tracefile {

/// Reads one rank's events ahead, and only in traces with such calls. A trace does not record whether a
/// cancellation came too late; all of them count as in time.
class Withdrawn {
  public:
    Withdrawn(const Trace& trace, std::uint32_t rank);

    /// Returns whether the request's receive is cancelled later. Call it for every non-blocking receive and
    /// every start of a persistent one, in their order.
    bool next(std::uint64_t request) { return !found_.empty() && is_cancelled(request); }

  private:
    struct Starts {
        std::uint64_t queried = 0;
        std::deque<std::uint64_t> cancelled;  ///< numbers of starts, rising
    };

    bool is_cancelled(std::uint64_t request);

    std::unordered_map<std::uint64_t, Starts> found_;  ///< by request
};

}  // namespace linkworth::tracefile
