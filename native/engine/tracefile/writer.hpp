// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Writing a trace event by event (synthetic traces, skeletons, converters). Parts of a real run are merged
/// by merge.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tracefile/event.hpp"

namespace linkworth::tracefile {

class TraceWriter {
  public:
    /// Writes to `path`, or into memory where `path` is empty. Times are kept to the nanosecond.
    TraceWriter(const std::string& path, std::uint32_t ranks, std::string metadata_json);
    ~TraceWriter();
    TraceWriter(TraceWriter&&) noexcept;
    TraceWriter& operator=(TraceWriter&&) noexcept;

    /// Index of a name in the trace's table; added at its first use.
    std::uint32_t name(const std::string& name);
    /// Appends one event to a rank. `cpu_seconds` negative: not known. Requests are numbered by the writer.
    void event(std::uint32_t rank, const Shape& shape, double gap_seconds, double cpu_seconds,
               double duration_seconds);
    /// Writes index and trailer. Returns the bytes of a trace in memory, else nothing.
    std::vector<std::byte> close();

    struct State;

  private:
    std::unique_ptr<State> state_;
};

}  // namespace linkworth::tracefile
