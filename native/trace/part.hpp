// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The file that one rank writes while the program runs (docs/reference/trace-format.md, "A part").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/file_bytes.hpp"
#include "trace/record_scan.hpp"

namespace linkworth::tracefile {

inline constexpr std::uint32_t part_initialised = 1;
inline constexpr std::uint32_t part_finalised = 2;
inline constexpr std::uint32_t part_disk_full = 4;
inline constexpr std::uint32_t part_aborted = 8;
inline constexpr std::uint32_t part_counter_ticks = 16;
inline constexpr std::uint32_t part_restarted = 32;

/// One moment on three clocks.
struct Instant {
    std::uint64_t ticks = 0;
    std::uint64_t monotonic_ns = 0;
    std::uint64_t realtime_ns = 0;
};

struct PartHeader {
    std::uint32_t flags = 0;
    std::int32_t rank = -1;
    std::int32_t size = 0;
    std::uint32_t block_bytes = 0;
    std::uint32_t first_block = 0;
    Instant start;
    Instant latest;
    std::uint64_t cpu_ns = 0;
    double helpers_seconds = 0;  ///< see MergedRank
    std::uint64_t dropped = 0;
    std::int32_t pid = 0;
    std::int32_t cores = 0;
    std::int32_t first_core = -1;  ///< of those that the process may use; -1: not known
    double ticks_per_second = 0;
    std::string host;
    std::string library;
    std::string processor;  ///< empty: not known
};

/// A block of a part, with its sound records only.
struct PartBlock {
    std::uint64_t base_ticks = 0;
    std::uint64_t next_request = 0;
    std::uint32_t thread = 0;  ///< 0: the one that called MPI_Init
    std::span<const std::uint8_t> records;
    std::uint64_t events = 0;
    std::uint64_t ticks = 0;  ///< gaps and durations together
};

class Part {
  public:
    /// Maps the part and scans its records, all or none: without them it has no blocks and no events. Throws
    /// TraceError if its header cannot be used.
    explicit Part(const std::string& path, bool with_records = true);

    const std::string& path() const { return path_; }
    const PartHeader& header() const { return header_; }
    /// The table of names: calls, and calls at one call site; see `at_site`.
    const std::vector<std::string>& entries() const { return entries_; }
    /// Name of the call that each entry means.
    const std::vector<std::string>& names() const { return names_; }
    const std::vector<PartBlock>& blocks() const { return blocks_; }
    const CallCounts& counts() const { return counts_; }
    std::uint64_t events() const { return events_; }
    /// Parts that could not be used, one sentence each.
    const std::vector<std::string>& problems() const { return problems_; }
    bool has(std::uint32_t flag) const { return (header_.flags & flag) != 0; }

    /// "complete", "cut", "aborted" or "disk full".
    const char* state() const;
    /// Returns 0 if neither the synchronisations nor the header determine it.
    double seconds_per_tick() const { return seconds_per_tick_; }
    void set_seconds_per_tick(double seconds) { seconds_per_tick_ = seconds; }
    /// Ticks of the last moment that is known of the rank.
    std::uint64_t last_ticks() const;

  private:
    void read_header();
    void read_blocks();
    void read_block(std::size_t offset, std::size_t size);

    std::string path_;
    MappedFile file_;
    PartHeader header_;
    std::vector<std::string> entries_, names_;
    std::vector<PartBlock> blocks_;
    CallCounts counts_{0};
    std::uint64_t events_ = 0;
    std::vector<std::string> problems_;
    double seconds_per_tick_ = 0;
};

}  // namespace linkworth::tracefile
