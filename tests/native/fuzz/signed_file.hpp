// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Trace files with right checksums around whatever a fuzzer made of their contents: else it would never get
/// beyond them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "trace/container.hpp"
#include "trace/container_writer.hpp"
#include "trace/crc32c.hpp"
#include "trace/trace_data.hpp"
#include "trace/varint.hpp"
#include "trace/wire.hpp"
#include "trace/zstd.hpp"

namespace linkworth::tests {

/// Puts right the checksums of header, blocks and index, as far as they can be found.
inline void sign(std::span<std::uint8_t> file) {
    using namespace tracefile;
    if (file.size() < header_bytes) return;
    auto header = decode_trace_header(file);
    if (!header) return;
    const std::size_t room = file.size() - header_bytes;
    if (header->metadata_bytes > room || header->names_bytes > room - header->metadata_bytes) return;
    const auto metadata = file.subspan(header_bytes, header->metadata_bytes);
    const auto names = file.subspan(header_bytes + header->metadata_bytes, header->names_bytes);
    header->crc = checksum(*header, metadata, names);
    std::ranges::copy(encode(*header), file.begin());
    std::size_t at = header_bytes + header->metadata_bytes + header->names_bytes;
    while (file.size() - at >= header_bytes) {
        auto block = decode_block_header(file.subspan(at));
        if (!block || block->stored_bytes > file.size() - at - header_bytes) break;
        block->crc = checksum(*block, file.subspan(at + header_bytes, block->stored_bytes));
        std::ranges::copy(encode(*block), file.begin() + static_cast<std::ptrdiff_t>(at));
        at += header_bytes + block->stored_bytes;
    }
    if (file.size() < trailer_bytes) return;
    auto trailer = decode_trailer(file.last(trailer_bytes));
    const std::size_t end = file.size() - trailer_bytes;
    if (!trailer || trailer->index_offset > end) return;
    const auto index = file.subspan(trailer->index_offset, end - trailer->index_offset);
    trailer->index_crc = crc32c(0, index.data(), index.size());
    std::ranges::copy(encode(*trailer), file.last(trailer_bytes).begin());
}

/// The sections of a block of columns as they are before compression.
inline std::vector<std::uint8_t> plain_columns(std::span<const std::uint8_t> stored,
                                               tracefile::Decompressor& decompressor) {
    tracefile::ByteReader in(stored.data(), stored.data() + stored.size());
    std::vector<std::pair<std::size_t, std::size_t>> sizes(in.count());
    std::vector<std::uint8_t> out;
    tracefile::append_varint(out, sizes.size());
    for (auto& [raw, compressed] : sizes) {
        raw = in.varint();
        compressed = in.varint();
        tracefile::append_varint(out, raw);
        tracefile::append_varint(out, 0);
    }
    const std::uint8_t* at = in.position();
    for (const auto& [raw, compressed] : sizes) {
        const std::size_t size = compressed != 0 ? compressed : raw;
        std::vector<std::uint8_t> section(at, at + size);
        if (compressed != 0) {
            section.resize(raw);
            decompressor.expand({at, size}, section.data(), raw);
        }
        out.insert(out.end(), section.begin(), section.end());
        at += size;
    }
    return out;
}

/// The same trace with all that it holds as it is before compression, so that a change of a byte is a change
/// of a record.
inline std::vector<std::byte> uncompressed(std::vector<std::byte> bytes) {
    tracefile::TraceData data;
    data.label = "seed";
    data.memory = std::move(bytes);
    data.bytes = {reinterpret_cast<const std::uint8_t*>(data.memory.data()), data.memory.size()};
    tracefile::read_container(data);
    tracefile::ContainerWriter writer("", data.header.ranks);
    writer.begin(std::string(data.metadata), data.names, 0, nullptr);
    tracefile::Decompressor decompressor;
    std::vector<std::uint8_t> raw;
    for (const auto& entry : data.blocks) {
        const auto rest = data.bytes.subspan(entry.offset);
        const auto header = tracefile::decode_block_header(rest).value();
        const auto stored = rest.subspan(tracefile::header_bytes, header.stored_bytes);
        raw.assign(stored.begin(), stored.end());
        if (header.codec == tracefile::codec_columns) {
            writer.append_stored(header, plain_columns(stored, decompressor));
            continue;
        }
        if (header.codec == tracefile::codec_zstd) {
            raw.resize(header.raw_bytes);
            decompressor.expand(stored, raw.data(), header.raw_bytes);
        }
        writer.append(header, raw, nullptr);
    }
    return writer.close(data.names, 0);
}

}  // namespace linkworth::tests
