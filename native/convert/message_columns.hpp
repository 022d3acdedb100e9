// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A table of the point-to-point messages of a trace.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace linkworth::convert {

/// Columns of equal length, rank after rank of the senders, in order of time.
struct MessageColumns {
    std::vector<std::int32_t> source;  ///< world ranks
    std::vector<std::int32_t> destination;
    std::vector<std::int64_t> bytes;
    std::vector<std::int64_t> sent_ns;  ///< start of the sending call
    std::vector<std::int64_t>
        received_ns;  ///< end of the call that completed the receive; -1: not in the trace
};

/// Reads all events twice: the first time for the ends of the receives.
MessageColumns message_columns(const tracefile::Trace& trace);

}  // namespace linkworth::convert
