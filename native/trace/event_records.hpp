// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Records of a block as lists: the common contents of both codings of a block, records and columns.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linkworth::tracefile {

/// Properties that few events have: another thread than the one before, or an overlap with the rank's
/// previous call.
struct EventNote {
    std::uint32_t event = 0;  ///< number in its block
    bool is_overlap = false;  ///< else the thread of this event and those after it
    std::uint64_t value = 0;  ///< ticks, or the thread
};

/// Arguments that a call may leave to columns: peer, tag, bytes.
inline constexpr std::size_t argument_count = 3;

struct EventRecords {
    std::vector<std::span<const std::uint8_t>> shapes;  ///< payloads, which lie in the records
    std::vector<std::uint32_t> heads;                   ///< by event: 2 x shape + (1 if it has CPU time)
    std::vector<std::uint64_t> gaps;                    ///< ticks, by event
    std::vector<std::uint64_t> durations;               ///< ticks, by event
    std::vector<std::uint8_t> gap_symbols;              ///< by event; see time_symbols.hpp
    std::vector<std::uint8_t> duration_symbols;         ///< by event
    std::vector<std::uint64_t> cpu;                     ///< nanoseconds, of the events that have it
    std::vector<EventNote> notes;
    // Open shapes, if there are any (arguments.hpp).
    std::vector<bool> is_open;                                         ///< by shape
    std::array<std::vector<std::uint64_t>, argument_count> arguments;  ///< of their events, in order
    std::vector<std::uint8_t> open_payloads;

    bool any_open() const { return std::ranges::find(is_open, true) != is_open.end(); }
};

/// Fills `out`. Returns false if this version does not know all of `records`.
bool read_event_records(std::span<const std::uint8_t> records, EventRecords& out);

}  // namespace linkworth::tracefile
