// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/container_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "trace/column_encoder.hpp"
#include "trace/crc32c.hpp"
#include "trace/trace.hpp"

namespace linkworth::tracefile {
namespace {

std::vector<std::uint8_t> name_table(const std::vector<std::string>& names) {
    std::vector<std::uint8_t> table;
    for (const std::string& name : names) {
        table.insert(table.end(), name.begin(), name.end());
        table.push_back(0);
    }
    return table;
}

/// Leaves the compressed bytes in `out` and returns the number of raw ones if that is worth it. Otherwise
/// returns 0 and does not change `out`.
std::uint64_t compress_if_smaller(std::span<const std::uint8_t> raw, Compressor* compressor,
                                  std::vector<std::uint8_t>& out) {
    std::vector<std::uint8_t> compressed;
    if (compressor == nullptr || raw.size() > largest_expanded || !compressor->compress(raw, compressed) ||
        raw.size() > most_expansion * compressed.size()) {
        return 0;
    }
    out = std::move(compressed);
    return raw.size();
}

/// Records that compress to this part of their size may repeat with their times.
constexpr std::size_t least_repetition = 4;
/// Records that are looked at.
constexpr std::size_t sample_bytes = 1U << 14;

/// Returns whether records may repeat with their times, judged by those in the middle. Uses `scratch`.
bool may_repeat(std::span<const std::uint8_t> raw, Compressor& compressor,
                std::vector<std::uint8_t>& scratch) {
    if (raw.size() <= 2 * sample_bytes) return true;
    return compressor.compress(raw.subspan(raw.size() / 2, sample_bytes), scratch) &&
           scratch.size() < sample_bytes / least_repetition;
}

// Beside the final path, so that the rename stays within one file system.
std::string temporary_beside(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    return path.substr(0, name) + "." + path.substr(name) + "." + std::to_string(getpid()) + ".tmp";
}

}  // namespace

ContainerWriter::ContainerWriter(std::string path, std::uint32_t ranks) : path_(std::move(path)) {
    if (ranks == 0 || ranks > most_ranks) {
        throw TraceError("a trace has 1 to " + std::to_string(most_ranks) + " ranks, not " +
                         std::to_string(ranks));
    }
    header_.ranks = ranks;
    if (path_.empty()) return;
    temporary_ = temporary_beside(path_);
    file_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail("write");
}

ContainerWriter::~ContainerWriter() {
    if (file_ >= 0) {
        ::close(file_);
        unlink(temporary_.c_str());
    }
}

void ContainerWriter::fail(const char* what) const {
    throw WriteError(std::string("cannot ") + what + " " + path_ + ": " + std::strerror(errno));
}

void ContainerWriter::write_at(std::uint64_t offset, const void* data, std::size_t size) {
    if (file_ < 0) {
        if (memory_.size() < offset + size) memory_.resize(offset + size);
        if (size > 0) std::memcpy(memory_.data() + offset, data, size);
        return;
    }
    const auto* at = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t written = pwrite(file_, at, size, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail("write");
        at += written;
        offset += static_cast<std::uint64_t>(written);
        size -= static_cast<std::size_t>(written);
    }
}

void ContainerWriter::write_end(const void* data, std::size_t size) {
    write_at(end_, data, size);
    end_ += size;
}

void ContainerWriter::begin(const std::string& metadata, const std::vector<std::string>& names,
                            std::size_t names_room, Compressor* compressor) {
    begun_ = true;
    const auto* const document = reinterpret_cast<const std::uint8_t*>(metadata.data());
    metadata_.assign(document, document + metadata.size());
    header_.raw_metadata_bytes = compress_if_smaller({document, metadata.size()}, compressor, metadata_);
    header_.metadata_bytes = metadata_.size();
    std::vector<std::uint8_t> table = name_table(names);
    header_.names_bytes = table.size() + names_room;
    if (names_room == 0) header_.raw_names_bytes = compress_if_smaller(table, compressor, stored_names_);
    if (header_.raw_names_bytes != 0) {
        header_.names_bytes = stored_names_.size();
        names_ = std::move(table);
    }
    end_ = header_bytes + header_.metadata_bytes + header_.names_bytes;
}

void ContainerWriter::append(BlockHeader header, std::span<const std::uint8_t> raw, Compressor* compressor) {
    if (raw.size() > largest_raw_block) {
        throw TraceError("a call of rank " + std::to_string(header.rank) + " needs a block of " +
                         std::to_string(raw.size()) + " bytes, more than a trace can hold");
    }
    thread_local std::vector<std::uint8_t> compressed;
    thread_local std::vector<std::uint8_t> columns;
    thread_local ColumnEncoder encoder;
    std::span<const std::uint8_t> stored = raw;
    header.codec = codec_none;
    // Calls that repeat with their times, as in a skeleton, are smallest as they are. Real ones are not, and
    // a sample of some records saves the work for all.
    if (compressor != nullptr && may_repeat(raw, *compressor, compressed) &&
        compressor->compress(raw, compressed)) {
        stored = compressed;
        header.codec = codec_zstd;
    }
    if (compressor != nullptr && stored.size() > header.events / 2 &&
        encoder.encode(raw, header.seconds_per_tick, compressor, columns) && columns.size() < stored.size()) {
        stored = columns;
        header.codec = codec_columns;
    }
    header.raw_bytes = static_cast<std::uint32_t>(raw.size());
    append_stored(header, stored);
}

void ContainerWriter::append_stored(BlockHeader header, std::span<const std::uint8_t> stored) {
    header.stored_bytes = static_cast<std::uint32_t>(stored.size());
    header.crc = checksum(header, stored);
    const HeaderBytes encoded = encode(header);
    const std::lock_guard lock(mutex_);
    index_.push_back({end_, header.rank, header.sequence, header.base_ns, header.events, header.raw_bytes});
    write_end(encoded.data(), encoded.size());
    write_end(stored.data(), stored.size());
}

std::vector<std::byte> ContainerWriter::close(const std::vector<std::string>& names, std::uint32_t flags) {
    std::vector<std::uint8_t> table = name_table(names);
    const bool compressed = header_.raw_names_bytes != 0;
    if (compressed && table == names_) {
        table = stored_names_;
    } else if (compressed || table.size() > header_.names_bytes) {
        throw TraceError(path_ +
                         " has more names of calls than there is room for: give each call's name once before "
                         "the first events");
    }
    table.resize(header_.names_bytes, 0);
    std::ranges::sort(index_, {},
                      [](const IndexEntry& entry) { return std::pair(entry.rank, entry.sequence); });
    std::vector<std::uint8_t> index(index_.size() * index_entry_bytes);
    for (std::size_t entry = 0; entry < index_.size(); ++entry)
        encode(index_[entry], &index[entry * index_entry_bytes]);
    Trailer trailer;
    trailer.index_offset = end_;
    trailer.blocks = index_.size();
    trailer.index_crc = crc32c(0, index.data(), index.size());
    write_end(index.data(), index.size());
    const auto trailer_encoded = encode(trailer);
    write_end(trailer_encoded.data(), trailer_encoded.size());

    header_.flags = flags;
    header_.crc = checksum(header_, metadata_, table);
    const HeaderBytes header = encode(header_);
    write_at(0, header.data(), header.size());
    write_at(header_bytes, metadata_.data(), metadata_.size());
    write_at(header_bytes + metadata_.size(), table.data(), table.size());
    if (file_ < 0) return std::move(memory_);
    if (::close(std::exchange(file_, -1)) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int problem = errno;
        unlink(temporary_.c_str());
        errno = problem;
        fail("write");
    }
    return {};
}

}  // namespace linkworth::tracefile
