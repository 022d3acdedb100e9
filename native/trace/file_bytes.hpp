// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A file as it was when it was read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace linkworth::tracefile {

/// Its bytes are copied, not mapped: another process may shorten or change the file while it is in use.
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

}  // namespace linkworth::tracefile
