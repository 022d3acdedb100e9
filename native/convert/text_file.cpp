// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include "trace/trace.hpp"

namespace linkworth::convert {

TextFile::TextFile(std::string path)
    : path_(std::move(path)),
      file_(std::fopen(path_.c_str(), "wb")),
      buffer_(std::make_unique<char[]>(buffer_bytes)) {
    if (!file_) fail();
    // The buffer here is the only one.
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
}

TextFile& TextFile::operator<<(double number) {
    constexpr int digits = 12;
    if (longest_number > buffer_bytes - used_) make_room(longest_number);
    char* at = buffer_.get() + used_;
    const auto end = std::to_chars(at, at + longest_number, number, std::chars_format::general, digits);
    used_ += static_cast<std::size_t>(end.ptr - at);
    return *this;
}

void TextFile::make_room(std::size_t bytes) {
    flush();
    if (bytes > buffer_bytes) throw tracefile::WriteError(path_ + ": a line is too long to be written");
}

void TextFile::flush() {
    if (std::fwrite(buffer_.get(), 1, used_, file_.get()) != used_) fail();
    written_ += std::exchange(used_, 0);
}

void TextFile::close() {
    flush();
    if (std::fclose(file_.release()) != 0) fail();
}

void TextFile::fail() const {
    throw tracefile::WriteError(path_ + " cannot be written: " + std::strerror(errno));
}

}  // namespace linkworth::convert
