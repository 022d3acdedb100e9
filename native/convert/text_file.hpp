// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Text files that other tools read, written piece by piece in bounded memory.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace linkworth::convert {

class TextFile {
  public:
    /// Makes the file. Throws tracefile::WriteError here and wherever the disk refuses.
    explicit TextFile(std::string path);
    TextFile(TextFile&&) noexcept = default;
    TextFile& operator=(TextFile&&) noexcept = default;

    TextFile& operator<<(std::string_view text) {
        if (text.size() > buffer_bytes - used_) make_room(text.size());
        text.copy(buffer_.get() + used_, text.size());
        used_ += text.size();
        return *this;
    }
    TextFile& operator<<(std::integral auto number) {
        if (longest_number > buffer_bytes - used_) make_room(longest_number);
        char* at = buffer_.get() + used_;
        used_ += static_cast<std::size_t>(std::to_chars(at, at + longest_number, number).ptr - at);
        return *this;
    }
    /// Writes the number with twelve significant digits.
    TextFile& operator<<(double number);

    /// Writes the rest. Without it the file is incomplete.
    void close();
    std::uint64_t bytes() const { return written_ + used_; }

  private:
    static constexpr std::size_t buffer_bytes = 1 << 16;
    static constexpr std::size_t longest_number = 32;

    void make_room(std::size_t bytes);
    void flush();
    [[noreturn]] void fail() const;

    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
    std::unique_ptr<char[]> buffer_;
    std::size_t used_ = 0;
    std::uint64_t written_ = 0;
};

}  // namespace linkworth::convert
