// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Writes header, blocks, index and trailer of a trace, into a file that gets its name only when it is whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "trace/container.hpp"
#include "trace/zstd.hpp"

namespace linkworth::tracefile {

class ContainerWriter {
  public:
    /// Writes to `path`, or into memory if `path` is empty. Throws WriteError if the file cannot be made.
    ContainerWriter(std::string path, std::uint32_t ranks);
    /// Removes an unfinished file.
    ~ContainerWriter();
    ContainerWriter(const ContainerWriter&) = delete;
    ContainerWriter& operator=(const ContainerWriter&) = delete;

    /// Sets the part ahead of the blocks; call it once, before the first block. `names_room` is kept free for
    /// names that are added until `close`. With a compressor the metadata is compressed, and so are the names
    /// if no room is kept.
    void begin(const std::string& metadata, const std::vector<std::string>& names, std::size_t names_room,
               Compressor* compressor);
    bool begun() const { return begun_; }

    /// Appends a block: fills the header's codec, sizes and checksum. Threads may call it with a compressor
    /// each; without one the block is stored as it is. Throws WriteError if the file cannot take it.
    void append(BlockHeader header, std::span<const std::uint8_t> raw, Compressor* compressor);

    /// Appends a block that is already coded according to its header; fills the rest of the header.
    void append_stored(BlockHeader header, std::span<const std::uint8_t> stored);

    /// Writes index, trailer and header and gives the file its name. Returns the bytes if it was memory.
    std::vector<std::byte> close(const std::vector<std::string>& names, std::uint32_t flags);

    std::uint64_t bytes() const { return end_; }

  private:
    void write_at(std::uint64_t offset, const void* data, std::size_t size);
    void write_end(const void* data, std::size_t size);
    [[noreturn]] void fail(const char* what) const;

    std::string path_;
    std::string temporary_;
    int file_ = -1;
    std::vector<std::byte> memory_;
    std::uint64_t end_ = 0;
    TraceHeader header_;
    std::vector<std::uint8_t> metadata_;  ///< as stored
    std::vector<std::uint8_t> names_;     ///< the table of names as it is, if it is stored compressed
    std::vector<std::uint8_t> stored_names_;
    std::vector<IndexEntry> index_;
    std::mutex mutex_;
    bool begun_ = false;
};

}  // namespace linkworth::tracefile
