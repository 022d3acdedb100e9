// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A regular file that is open for reading.
#pragma once

#include <cstddef>
#include <string>

namespace linkworth::tracefile {

class OpenFile {
  public:
    /// Throws TraceError (one sentence that names the file) if it cannot be opened, is no file or is empty.
    explicit OpenFile(const std::string& path);
    ~OpenFile();
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    int descriptor() const { return descriptor_; }
    std::size_t size() const { return size_; }

  private:
    int descriptor_ = -1;
    std::size_t size_ = 0;
};

}  // namespace linkworth::tracefile
