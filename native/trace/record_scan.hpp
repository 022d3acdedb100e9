// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Scan of a block's records without building events: how much of it is sound, and its contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace linkworth::tracefile {

struct RecordScan {
    std::size_t sound_bytes = 0;  ///< up to the end of the last whole record
    std::uint64_t events = 0;
    std::uint64_t ticks = 0;  ///< gaps and durations together
    std::string problem;      ///< why the rest is not sound; empty if all of it is
};

/// Calls of ranks, by index of the name.
struct CallCounts {
    explicit CallCounts(std::size_t names) : events(names, 0), not_modelled(names, 0) {}
    void add(const CallCounts& other);

    std::vector<std::uint64_t> events;
    std::vector<std::uint64_t>
        not_modelled;  ///< calls that no class describes, and collectives that none is named for
};

/// Scans `records` until head 0 or the end. An open block's torn last record shows as bytes after head 0.
RecordScan scan_records(std::span<const std::uint8_t> records, const std::vector<std::string>& names,
                        CallCounts& counts);

}  // namespace linkworth::tracefile
