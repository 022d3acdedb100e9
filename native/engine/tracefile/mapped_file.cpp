// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "tracefile/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tracefile/trace.hpp"

namespace linkworth::tracefile {

MappedFile::MappedFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        throw TraceError("cannot open " + path + ": " + std::strerror(errno));
    }
    struct stat status{};
    const bool is_file = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    if (!is_file || status.st_size == 0) {
        close(file);
        throw TraceError(is_file ? path + " is empty: record the program again, its trace was never written"
                                 : path + " is not a file: give the .lwt file that `linkworth trace` wrote");
    }
    size_ = static_cast<std::size_t>(status.st_size);
    void* data = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    const int problem = errno;
    close(file);
    if (data == MAP_FAILED) {
        throw TraceError("cannot map " + path + " into memory: " + std::strerror(problem));
    }
    data_ = static_cast<const std::uint8_t*>(data);
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) {
        munmap(const_cast<std::uint8_t*>(data_), size_);
    }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

}  // namespace linkworth::tracefile
