// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "calls/names.hpp"
#include "trace/crc32c.hpp"
#include "trace/trace_data.hpp"
#include "trace/wire.hpp"
#include "trace/zstd.hpp"

namespace linkworth::tracefile {
namespace {

using Bytes = std::span<const std::uint8_t>;

[[noreturn]] void refuse(const TraceData& data, const std::string& why) {
    throw TraceError(data.label + " " + why);
}

[[noreturn]] void refuse_damaged(const TraceData& data, const std::string& why) {
    throw DamagedError(data.label + " " + why);
}

/// Returns the part ahead of the blocks, expanded into `memory` if it is compressed.
Bytes expanded(const TraceData& data, Bytes stored, std::uint64_t raw_bytes,
               std::vector<std::uint8_t>& memory) {
    if (raw_bytes == 0) return stored;
    if (raw_bytes <= largest_expanded && raw_bytes <= most_expansion * stored.size()) {
        memory.resize(raw_bytes);
        Decompressor decompressor;
        if (decompressor.expand(stored, memory.data(), memory.size())) return memory;
    }
    refuse_damaged(
        data, "has metadata or names of calls that do not expand to their size: copy or record it again");
}

void read_header(TraceData& data) {
    const Bytes bytes = data.bytes;
    if (bytes.empty()) refuse(data, "is empty: record the program again, its trace was never written");
    const std::size_t magic = std::min<std::size_t>(bytes.size(), 8);
    if (std::memcmp(bytes.data(), trace_magic, std::min<std::size_t>(magic, 7)) != 0)
        refuse(data, "is not a linkworth trace: give the .lwt file that `linkworth trace` wrote");
    if (bytes.size() < header_bytes)
        refuse_damaged(data, "is cut inside its header and holds no events: copy or record it again");
    const std::optional<TraceHeader> header = decode_trace_header(bytes);
    if (!header || header->version != trace_version) {
        const std::string version = header ? std::to_string(header->version)
                                           : "of another kind (byte " + std::to_string(bytes[7]) + ")";
        refuse(data, "has trace format version " + version + ", and this linkworth reads version " +
                         std::to_string(trace_version) +
                         " only: record the program again, or take the linkworth that wrote the file");
    }
    data.header = *header;
    const std::uint64_t room = bytes.size() - header_bytes;
    if (header->metadata_bytes > room || header->names_bytes > room - header->metadata_bytes)
        refuse_damaged(data, "is cut before its first block and holds no events: copy or record it again");
    const Bytes metadata = bytes.subspan(header_bytes, header->metadata_bytes);
    const Bytes names = bytes.subspan(header_bytes + header->metadata_bytes, header->names_bytes);
    if (checksum(*header, metadata, names) != header->crc || header->ranks > most_ranks) {
        refuse_damaged(
            data,
            "has a damaged header (its checksum is wrong), without which no event can be named: copy or "
            "record it again");
    }
    // A rank that did anything has a block, which takes more than a byte.
    if (header->ranks == 0 || header->ranks > bytes.size()) {
        refuse_damaged(data, "states " + std::to_string(header->ranks) + " ranks, which its " +
                                 std::to_string(bytes.size()) +
                                 " bytes cannot have recorded: copy or record it again");
    }
    const Bytes document = expanded(data, metadata, header->raw_metadata_bytes, data.expanded_metadata);
    data.metadata = std::string_view(reinterpret_cast<const char*>(document.data()), document.size());
    std::vector<std::uint8_t> table;
    data.entries = split_names(expanded(data, names, header->raw_names_bytes, table));
    std::unordered_map<std::string_view, std::uint32_t> number;
    for (const std::string& entry : data.entries) {
        const std::string_view name = at_site(entry).name;
        const auto [known, added] = number.try_emplace(name, static_cast<std::uint32_t>(data.names.size()));
        if (added) {
            data.names.emplace_back(name);
            data.collectives.push_back(collective_by_name(name));
        }
        data.name_of_entry.push_back(known->second);
    }
}

std::size_t blocks_offset(const TraceData& data) {
    return header_bytes + data.header.metadata_bytes + data.header.names_bytes;
}

/// So many times may a file's bytes be in checksums. Those of a sound file are in one block each, but blocks
/// that a crafted file has inside each other would take hours.
constexpr std::uint64_t most_times_summed = 8;

/// The header of a whole block with a right checksum. `left`: bytes that checksums may still cover.
std::optional<BlockHeader> sound_block(const TraceData& data, std::uint64_t offset, std::uint64_t& left) {
    if (offset > data.bytes.size() || data.bytes.size() - offset < header_bytes) return std::nullopt;
    const Bytes rest = data.bytes.subspan(offset);
    const std::optional<BlockHeader> header = decode_block_header(rest);
    if (!header || header->stored_bytes > rest.size() - header_bytes || header->rank >= data.header.ranks ||
        header->raw_bytes > largest_raw_block ||
        !(header->seconds_per_tick > 0 && header->seconds_per_tick < 1) || header->codec > codec_columns ||
        (header->codec == codec_none && header->stored_bytes != header->raw_bytes) ||
        header->stored_bytes > left) {
        return std::nullopt;
    }
    left -= header->stored_bytes;
    if (checksum(*header, rest.subspan(header_bytes, header->stored_bytes)) != header->crc)
        return std::nullopt;
    return header;
}

IndexEntry entry_of(const BlockHeader& header, std::uint64_t offset) {
    return {offset, header.rank, header.sequence, header.base_ns, header.events, header.raw_bytes};
}

std::string block_title(std::uint32_t rank, std::uint32_t sequence) {
    return "block " + std::to_string(sequence) + " of rank " + std::to_string(rank);
}

/// Returns the index from the trailer, or no value if the trailer or the index is missing or damaged.
std::optional<std::vector<IndexEntry>> indexed_blocks(const TraceData& data) {
    const Bytes bytes = data.bytes;
    if (bytes.size() < blocks_offset(data) + trailer_bytes) return std::nullopt;
    const std::optional<Trailer> trailer = decode_trailer(bytes.last(trailer_bytes));
    if (!trailer || trailer->blocks > bytes.size() / index_entry_bytes) return std::nullopt;
    const std::uint64_t size = trailer->blocks * index_entry_bytes;
    if (trailer->index_offset != bytes.size() - trailer_bytes - size) return std::nullopt;
    const Bytes index = bytes.subspan(trailer->index_offset, size);
    if (crc32c(0, index.data(), index.size()) != trailer->index_crc) return std::nullopt;
    std::vector<IndexEntry> entries;
    entries.reserve(trailer->blocks);
    for (std::uint64_t at = 0; at < size; at += index_entry_bytes)
        entries.push_back(decode_index_entry(&index[at]));
    return entries;
}

void take_indexed(TraceData& data, const std::vector<IndexEntry>& entries) {
    std::uint64_t left = most_times_summed * data.bytes.size();
    for (const IndexEntry& entry : entries) {
        const std::optional<BlockHeader> header = sound_block(data, entry.offset, left);
        if (header && header->rank == entry.rank && header->sequence == entry.sequence) {
            data.blocks.push_back(entry_of(*header, entry.offset));
            continue;
        }
        const bool known = entry.rank < data.header.ranks;
        if (known) data.lost_events[entry.rank] += entry.events;
        data.damage.push_back({known ? static_cast<std::int32_t>(entry.rank) : -1, entry.offset,
                               block_title(entry.rank, entry.sequence) +
                                   " is damaged (its checksum is wrong): its " +
                                   std::to_string(entry.events) + " events are left out"});
    }
}

/// Returns the next place after `offset` where a block may begin, or the file's end.
std::uint64_t next_block_magic(const TraceData& data, std::uint64_t offset) {
    std::uint8_t magic[4];
    store(magic, block_magic);
    const auto* const begin = data.bytes.data() + std::min<std::uint64_t>(offset, data.bytes.size());
    const auto* const end = data.bytes.data() + data.bytes.size();
    return static_cast<std::uint64_t>(std::search(begin, end, magic, magic + 4) - data.bytes.data());
}

void report_unreadable(TraceData& data, std::uint64_t from, std::uint64_t to) {
    const Bytes rest = data.bytes.subspan(from);
    std::string what =
        std::to_string(to - from) + " bytes at offset " + std::to_string(from) + " are no whole block";
    std::int32_t rank = -1;
    if (rest.size() >= header_bytes) {
        const std::optional<BlockHeader> header = decode_block_header(rest);
        if (header && header->rank < data.header.ranks) {
            rank = static_cast<std::int32_t>(header->rank);
            data.lost_events[header->rank] += header->events;
            what = block_title(header->rank, header->sequence) + " is cut or damaged: its " +
                   std::to_string(header->events) + " events are left out";
        }
    }
    data.damage.push_back({rank, from, what});
}

/// Takes the blocks in the order of the file, skipping over bytes that are none.
void walk_blocks(TraceData& data) {
    const std::uint64_t size = data.bytes.size();
    data.damage.push_back(
        {-1, size,
         "the file has no valid index (it is cut or damaged): its blocks were read one after the "
         "other, what followed the last one is lost"});
    std::uint64_t offset = blocks_offset(data);
    std::uint64_t left = most_times_summed * size;
    while (offset < size) {
        const std::optional<BlockHeader> header = sound_block(data, offset, left);
        if (header) {
            data.blocks.push_back(entry_of(*header, offset));
            offset += header_bytes + header->stored_bytes;
            continue;
        }
        std::uint64_t next = next_block_magic(data, offset + 1);
        while (next < size && !sound_block(data, next, left)) next = next_block_magic(data, next + 1);
        report_unreadable(data, offset, next);
        offset = next;
    }
}

/// Sorts by rank and sequence, drops doubles, finds each rank's blocks and names the missing ones.
void arrange(TraceData& data) {
    const auto key = [](const IndexEntry& entry) { return std::pair(entry.rank, entry.sequence); };
    const auto same = [key](const IndexEntry& a, const IndexEntry& b) { return key(a) == key(b); };
    std::ranges::stable_sort(data.blocks, {}, key);
    data.blocks.erase(std::unique(data.blocks.begin(), data.blocks.end(), same), data.blocks.end());
    data.first_block.assign(data.header.ranks + std::size_t{1}, 0);
    std::vector<std::uint32_t> expected(data.header.ranks, 0);
    for (const IndexEntry& block : data.blocks) {
        ++data.first_block[block.rank + std::size_t{1}];
        data.events += block.events;
        data.raw_bytes += block.raw_bytes;
        if (!data.has_index && block.sequence > expected[block.rank]) {
            data.damage.push_back({static_cast<std::int32_t>(block.rank), block.offset,
                                   "rank " + std::to_string(block.rank) + " misses " +
                                       std::to_string(block.sequence - expected[block.rank]) +
                                       " blocks before its " + block_title(block.rank, block.sequence)});
        }
        expected[block.rank] = block.sequence + 1;
    }
    for (std::size_t rank = 0; rank < data.header.ranks; ++rank)
        data.first_block[rank + 1] += data.first_block[rank];
}

}  // namespace

void read_container(TraceData& data) {
    read_header(data);
    const std::optional<std::vector<IndexEntry>> index = indexed_blocks(data);
    data.lost_events.assign(data.header.ranks, 0);
    data.has_index = index.has_value();
    if (index)
        take_indexed(data, *index);
    else
        walk_blocks(data);
    arrange(data);
}

}  // namespace linkworth::tracefile
