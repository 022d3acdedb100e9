// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A file mapped for reading. It is a part of a recording, which only linkworth writes and which may be
/// larger than the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace linkworth::tracefile {

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
