// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/file_bytes.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "trace/open_file.hpp"
#include "trace/trace.hpp"

namespace linkworth::tracefile {

FileBytes::FileBytes(const std::string& path) {
    const OpenFile file(path);
    try {
        data_ = std::make_unique_for_overwrite<std::uint8_t[]>(file.size());
    } catch (const std::bad_alloc&) {
        throw TraceError("there is not enough memory to read " + path + " (" + std::to_string(file.size()) +
                         " bytes): read it on a machine with more");
    }
    while (size_ < file.size()) {
        const ssize_t count = read(file.descriptor(), data_.get() + size_, file.size() - size_);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw TraceError("cannot read " + path + ": " + std::strerror(errno));
        if (count == 0) break;  // it was shortened meanwhile: what is left is a cut file
        size_ += static_cast<std::size_t>(count);
    }
}

}  // namespace linkworth::tracefile
