// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Writing a trace event by event (synthetic traces, skeletons, converters). Parts of a real run are merged
/// by merge.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "calls/event.hpp"
#include "trace/rank_writer.hpp"

namespace linkworth::tracefile {

/// Whole nanoseconds of a time. Throws TraceError for a time that a trace cannot contain.
std::uint64_t nanoseconds(double seconds);

class TraceWriter {
  public:
    /// Writes to `path`, or into memory if `path` is empty. Times are exact to the nanosecond.
    TraceWriter(const std::string& path, std::uint32_t ranks, std::string metadata_json);
    ~TraceWriter();
    TraceWriter(TraceWriter&&) noexcept;
    TraceWriter& operator=(TraceWriter&&) noexcept;

    /// Index of a name in the trace's table; added at its first use.
    std::uint32_t name(const std::string& name);
    /// Appends one event to a rank. `cpu_seconds` negative: not known. Requests are numbered by the writer.
    void event(std::uint32_t rank, const Shape& shape, double gap_seconds, double cpu_seconds,
               double duration_seconds);
    /// The same without checks of names and times, for many events. Once all names are known, threads may
    /// write a rank each at once.
    RankWriter& rank(std::uint32_t rank);
    /// Ends a rank and frees its memory; nothing may be appended to it any more. Threads as for `rank`.
    void finish(std::uint32_t rank);
    /// Writes index and trailer. Returns the bytes of a trace in memory, else nothing.
    std::vector<std::byte> close();
    /// Size of the file so far; after `close`, its whole size.
    std::uint64_t bytes() const;

    struct State;

  private:
    std::unique_ptr<State> state_;
};

}  // namespace linkworth::tracefile
