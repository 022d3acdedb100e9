// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Columns of events and messages for table formats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "calls/call_numbers.hpp"
#include "convert/timed_cursor.hpp"
#include "trace/trace.hpp"

namespace linkworth::convert {

/// A list per row: row i is `values[offsets[i]]` up to `values[offsets[i + 1]]`.
struct ListColumn {
    std::vector<std::int32_t> offsets{0};
    std::vector<std::int64_t> values;

    void end_row() { offsets.push_back(static_cast<std::int32_t>(values.size())); }
};

/// All columns have a value for each row; a value without `present` counts for nothing.
struct EventBatch {
    struct OptionalColumn {
        std::vector<std::int64_t> values;
        std::vector<std::uint8_t> present;
        bool any = false;
    };

    std::vector<std::int32_t> thread;
    std::vector<std::int64_t> start_ns;  ///< from the trace's origin
    std::vector<std::int64_t> duration_ns;
    std::vector<std::int64_t> gap_ns;
    std::vector<std::int32_t> call;   ///< index into the trace's names
    std::vector<std::int32_t> entry;  ///< index into the table of names: the call at its call site
    std::vector<std::uint8_t> call_class;
    OptionalColumn cpu_ns;
    OptionalColumn request;  ///< number of the request that the call makes
    OptionalColumn mode;     ///< of a wait or test (CompleteMode)
    std::array<OptionalColumn, number_count> fields;
    ListColumn requests;       ///< that the call starts, completes, frees or cancels
    ListColumn matched_peers;  ///< match of each completed wildcard receive, else -1
    ListColumn matched_tags;
    ListColumn send_counts;
    ListColumn recv_counts;
    ListColumn members;
    ListColumn remote_members;
    ListColumn sources;  ///< neighbours of a topology, ranks of the new communicator
    ListColumn destinations;
    ListColumn partition_list;

    std::size_t rows() const { return call.size(); }
    /// Number of values in all lists.
    std::size_t list_values() const;
};

/// Columns of one rank's events, a batch after the other.
class EventColumns {
  public:
    static constexpr std::size_t usual_values = 1 << 22;

    explicit EventColumns(tracefile::RankCursor cursor) : cursor_(std::move(cursor)) {}

    /// The next events, at most `most_rows`, until their lists have `enough_values`; no rows at the rank's
    /// end. A collective may list all ranks, so that rows alone do not bound the memory.
    EventBatch next(std::size_t most_rows, std::size_t enough_values);

  private:
    TimedCursor cursor_;
};

/// A table of the point-to-point messages: columns of equal length, rank after rank of the senders, in order
/// of time.
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
