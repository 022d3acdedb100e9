// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "trace/trace.hpp"

namespace linkworth::tracefile {

OpenFile::OpenFile(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw TraceError("cannot open " + path + ": " + std::strerror(errno));
    struct stat status{};
    const bool is_file = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    if (!is_file || status.st_size == 0) {
        close(descriptor_);
        throw TraceError(is_file ? path + " is empty: record the program again, its trace was never written"
                                 : path + " is not a file: give the .lwt file that `linkworth trace` wrote");
    }
    size_ = static_cast<std::size_t>(status.st_size);
}

OpenFile::~OpenFile() { close(descriptor_); }

}  // namespace linkworth::tracefile
