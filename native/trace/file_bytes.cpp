// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/file_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "trace/trace.hpp"

namespace linkworth::tracefile {
namespace {

/// A regular file that is open for reading.
class OpenFile {
  public:
    /// Throws TraceError (one sentence that names the file) if it cannot be opened, is no file or is empty.
    explicit OpenFile(const std::string& path)
        // Without O_NONBLOCK, opening a named pipe waits for a writer.
        : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (descriptor_ < 0) throw TraceError("cannot open " + path + ": " + std::strerror(errno));
        struct stat status{};
        const bool is_file = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
        if (!is_file || status.st_size == 0) {
            close(descriptor_);
            throw TraceError(is_file
                                 ? path + " is empty: record the program again, its trace was never written"
                                 : path + " is not a file: give the .lwt file that `linkworth trace` wrote");
        }
        size_ = static_cast<std::size_t>(status.st_size);
    }
    ~OpenFile() { close(descriptor_); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    int descriptor() const { return descriptor_; }
    std::size_t size() const { return size_; }

  private:
    int descriptor_ = -1;
    std::size_t size_ = 0;
};

}  // namespace

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
