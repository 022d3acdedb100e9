// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/container.hpp"

#include <cstring>

#include "trace/crc32c.hpp"
#include "trace/wire.hpp"

namespace linkworth::tracefile {
namespace {

constexpr std::size_t magic_bytes = 8;

}  // namespace

HeaderBytes encode(const TraceHeader& header) {
    HeaderBytes out{};
    std::memcpy(out.data(), trace_magic, magic_bytes);
    store(&out[8], header.version);
    store(&out[12], header.flags);
    store(&out[16], header.metadata_bytes);
    store(&out[24], header.names_bytes);
    store(&out[32], header.ranks);
    store(&out[36], header.crc);
    store(&out[40], header.raw_metadata_bytes);
    store(&out[48], header.raw_names_bytes);
    return out;
}

std::optional<TraceHeader> decode_trace_header(std::span<const std::uint8_t> bytes) {
    if (std::memcmp(bytes.data(), trace_magic, magic_bytes) != 0) return std::nullopt;
    TraceHeader header;
    header.version = load<std::uint32_t>(&bytes[8]);
    header.flags = load<std::uint32_t>(&bytes[12]);
    header.metadata_bytes = load<std::uint64_t>(&bytes[16]);
    header.names_bytes = load<std::uint64_t>(&bytes[24]);
    header.ranks = load<std::uint32_t>(&bytes[32]);
    header.crc = load<std::uint32_t>(&bytes[36]);
    header.raw_metadata_bytes = load<std::uint64_t>(&bytes[40]);
    header.raw_names_bytes = load<std::uint64_t>(&bytes[48]);
    return header;
}

std::uint32_t checksum(TraceHeader header, std::span<const std::uint8_t> metadata,
                       std::span<const std::uint8_t> names) {
    header.crc = 0;
    const HeaderBytes bytes = encode(header);
    std::uint32_t crc = crc32c(0, bytes.data(), bytes.size());
    crc = crc32c(crc, metadata.data(), metadata.size());
    return crc32c(crc, names.data(), names.size());
}

HeaderBytes encode(const BlockHeader& header) {
    HeaderBytes out{};
    store(&out[0], block_magic);
    store(&out[4], header.rank);
    store(&out[8], header.sequence);
    store(&out[12], header.codec);
    store(&out[16], header.stored_bytes);
    store(&out[20], header.raw_bytes);
    store(&out[24], header.events);
    store(&out[28], header.crc);
    store(&out[32], header.base_ns);
    store(&out[40], header.next_request);
    store(&out[48], header.seconds_per_tick);
    return out;
}

std::optional<BlockHeader> decode_block_header(std::span<const std::uint8_t> bytes) {
    if (load<std::uint32_t>(bytes.data()) != block_magic) return std::nullopt;
    BlockHeader header;
    header.rank = load<std::uint32_t>(&bytes[4]);
    header.sequence = load<std::uint32_t>(&bytes[8]);
    header.codec = load<std::uint32_t>(&bytes[12]);
    header.stored_bytes = load<std::uint32_t>(&bytes[16]);
    header.raw_bytes = load<std::uint32_t>(&bytes[20]);
    header.events = load<std::uint32_t>(&bytes[24]);
    header.crc = load<std::uint32_t>(&bytes[28]);
    header.base_ns = load<std::uint64_t>(&bytes[32]);
    header.next_request = load<std::uint64_t>(&bytes[40]);
    header.seconds_per_tick = load<double>(&bytes[48]);
    return header;
}

std::uint32_t checksum(BlockHeader header, std::span<const std::uint8_t> stored) {
    header.crc = 0;
    const HeaderBytes bytes = encode(header);
    return crc32c(crc32c(0, bytes.data(), bytes.size()), stored.data(), stored.size());
}

void encode(const IndexEntry& entry, std::uint8_t* out) {
    store(out, entry.offset);
    store(out + 8, entry.rank);
    store(out + 12, entry.sequence);
    store(out + 16, entry.base_ns);
    store(out + 24, entry.events);
    store(out + 28, entry.raw_bytes);
}

IndexEntry decode_index_entry(const std::uint8_t* bytes) {
    IndexEntry entry;
    entry.offset = load<std::uint64_t>(bytes);
    entry.rank = load<std::uint32_t>(bytes + 8);
    entry.sequence = load<std::uint32_t>(bytes + 12);
    entry.base_ns = load<std::uint64_t>(bytes + 16);
    entry.events = load<std::uint32_t>(bytes + 24);
    entry.raw_bytes = load<std::uint32_t>(bytes + 28);
    return entry;
}

std::array<std::uint8_t, trailer_bytes> encode(const Trailer& trailer) {
    std::array<std::uint8_t, trailer_bytes> out{};
    store(&out[0], trailer.index_offset);
    store(&out[8], trailer.blocks);
    store(&out[16], trailer.index_crc);
    std::memcpy(&out[24], trace_magic, magic_bytes);
    return out;
}

std::optional<Trailer> decode_trailer(std::span<const std::uint8_t> bytes) {
    if (std::memcmp(&bytes[24], trace_magic, magic_bytes) != 0) return std::nullopt;
    Trailer trailer;
    trailer.index_offset = load<std::uint64_t>(&bytes[0]);
    trailer.blocks = load<std::uint64_t>(&bytes[8]);
    trailer.index_crc = load<std::uint32_t>(&bytes[16]);
    return trailer;
}

}  // namespace linkworth::tracefile
