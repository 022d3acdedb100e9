// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The bytes of a file: copied or mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace linkworth::tracefile {

/// A file as it was when it was read. Its bytes are copied, not mapped: another process may shorten or change
/// the file while it is in use.
class FileBytes {
  public:
    FileBytes() = default;
    /// Throws TraceError (one sentence that names the file) if it cannot be read or is empty.
    explicit FileBytes(const std::string& path);

    std::span<const std::uint8_t> bytes() const { return {data_.get(), size_}; }

  private:
    std::unique_ptr<std::uint8_t[]> data_;
    std::size_t size_ = 0;
};

/// A file mapped for reading: a part of a recording, which only linkworth writes and which may be larger than
/// the memory.
class MappedFile {
  public:
    MappedFile() = default;
    /// Throws TraceError (one sentence that names the file) if it cannot be read or is empty.
    explicit MappedFile(const std::string& path);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;

    std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

  private:
    const std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace linkworth::tracefile
