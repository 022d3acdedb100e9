// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Data that an open trace keeps in memory: the file, its names, and the positions of the readable blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/container.hpp"
#include "trace/file_bytes.hpp"
#include "trace/trace.hpp"

namespace linkworth::tracefile {

/// Everything but the memory that it points to.
struct TraceContents {
    std::string label;
    std::span<const std::uint8_t> bytes;
    TraceHeader header;
    std::string_view metadata;
    std::vector<std::string> entries;  ///< of the table of names
    std::vector<std::string> names;    ///< of calls, each once
    std::vector<std::uint32_t> name_of_entry;
    std::vector<Collective> collectives;                             ///< by name
    std::vector<IndexEntry> blocks;                                  ///< readable ones, by rank and sequence
    std::vector<std::size_t> first_block;                            ///< by rank, and one more at the end
    double until_seconds = std::numeric_limits<double>::infinity();  ///< later events are left out
    bool refuse_damage = false;              ///< a cursor throws for a block that it cannot decode
    bool has_index = false;                  ///< the file's list of blocks is whole
    std::vector<std::uint64_t> lost_events;  ///< by rank, of blocks that are known to be damaged
    std::uint64_t events = 0;
    std::uint64_t raw_bytes = 0;
    std::vector<Damage> damage;
};

struct TraceData : TraceContents {
    FileBytes file;
    std::vector<std::byte> memory;
    std::vector<std::uint8_t> expanded_metadata;  ///< if it is compressed in the file
    std::shared_ptr<const TraceData> whole;       ///< keeps the bytes of a beginning
};

/// Fills everything from `data->bytes`. Throws TraceError.
void read_container(TraceData& data);

}  // namespace linkworth::tracefile
