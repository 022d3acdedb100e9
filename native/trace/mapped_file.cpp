// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/mapped_file.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "trace/open_file.hpp"
#include "trace/trace.hpp"

namespace linkworth::tracefile {

MappedFile::MappedFile(const std::string& path) {
    const OpenFile file(path);
    void* data = mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (data == MAP_FAILED) throw TraceError("cannot map " + path + " into memory: " + std::strerror(errno));
    data_ = static_cast<const std::uint8_t*>(data);
    size_ = file.size();
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) munmap(const_cast<std::uint8_t*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

}  // namespace linkworth::tracefile
