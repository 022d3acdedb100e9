// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The fixed-size pieces of a merged trace: header, block header, index entry, trailer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace linkworth::tracefile {

inline constexpr char trace_magic[9] = "LWTRACE1";
inline constexpr std::uint32_t trace_version = 7;
inline constexpr std::uint32_t block_magic = 0x4b42574c;  // "LWBK"
inline constexpr std::uint32_t flag_cut = 1;
inline constexpr std::uint32_t codec_none = 0;
inline constexpr std::uint32_t codec_zstd = 1;
inline constexpr std::uint32_t codec_columns = 2;
/// No writer makes longer blocks. A longer one is damage, and must not allocate all memory.
inline constexpr std::uint32_t largest_raw_block = 1U << 28;
inline constexpr std::uint32_t most_ranks = 1U << 24;

inline constexpr std::size_t header_bytes = 64;
inline constexpr std::size_t index_entry_bytes = 32;
inline constexpr std::size_t trailer_bytes = 32;

using HeaderBytes = std::array<std::uint8_t, header_bytes>;

/// Limits on the memory for a file's metadata and names: this size, and this many times their stored bytes.
/// No writer compresses data that would come near.
inline constexpr std::uint64_t largest_expanded = 1U << 30;
inline constexpr std::uint64_t most_expansion = 1U << 10;

struct TraceHeader {
    std::uint32_t version = trace_version;
    std::uint32_t flags = 0;
    std::uint64_t metadata_bytes = 0;
    std::uint64_t names_bytes = 0;
    std::uint32_t ranks = 0;
    std::uint32_t crc = 0;
    std::uint64_t raw_metadata_bytes = 0;  ///< 0: stored as they are
    std::uint64_t raw_names_bytes = 0;     ///< 0: stored as they are
};

HeaderBytes encode(const TraceHeader& header);
/// Returns no value if the magic is another one. `bytes` has at least `header_bytes`.
std::optional<TraceHeader> decode_trace_header(std::span<const std::uint8_t> bytes);
/// Checksum of the header (its own field 0), the metadata and the names.
std::uint32_t checksum(TraceHeader header, std::span<const std::uint8_t> metadata,
                       std::span<const std::uint8_t> names);

struct BlockHeader {
    std::uint32_t rank = 0;
    std::uint32_t sequence = 0;
    std::uint32_t codec = codec_none;
    std::uint32_t stored_bytes = 0;
    std::uint32_t raw_bytes = 0;
    std::uint32_t events = 0;
    std::uint32_t crc = 0;
    std::uint64_t base_ns = 0;
    std::uint64_t next_request = 0;
    double seconds_per_tick = 0;
};

HeaderBytes encode(const BlockHeader& header);
std::optional<BlockHeader> decode_block_header(std::span<const std::uint8_t> bytes);
/// Checksum of the header (its own field 0) and the stored bytes.
std::uint32_t checksum(BlockHeader header, std::span<const std::uint8_t> stored);

struct IndexEntry {
    std::uint64_t offset = 0;
    std::uint32_t rank = 0;
    std::uint32_t sequence = 0;
    std::uint64_t base_ns = 0;
    std::uint32_t events = 0;
    std::uint32_t raw_bytes = 0;
};

void encode(const IndexEntry& entry, std::uint8_t* out);
IndexEntry decode_index_entry(const std::uint8_t* bytes);

struct Trailer {
    std::uint64_t index_offset = 0;
    std::uint64_t blocks = 0;
    std::uint32_t index_crc = 0;
};

std::array<std::uint8_t, trailer_bytes> encode(const Trailer& trailer);
std::optional<Trailer> decode_trailer(std::span<const std::uint8_t> bytes);

}  // namespace linkworth::tracefile
