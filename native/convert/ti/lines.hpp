// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The lines of a time-independent trace, word by word, in bounded memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace linkworth::convert {

class TiLines {
  public:
    /// Throws ConvertError for a file that cannot be read.
    explicit TiLines(std::string path);

    /// Goes to the next line that is neither empty nor a comment (#); false at the end.
    bool next();
    /// Words of the line, valid until `next`.
    const std::vector<std::string_view>& words() const { return words_; }
    /// The rank that the line is of: its first word, a number or `p` and a number.
    std::uint32_t rank() const;
    /// Throws ConvertError with the file, the line and what is wrong with it.
    [[noreturn]] void fail(const std::string& what) const;

  private:
    bool read_line();

    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    static constexpr std::size_t buffer_bytes = 1 << 16;
    /// A line with a count for each of a million ranks has some ten megabytes.
    static constexpr std::size_t longest_line = 1 << 26;

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;  ///< of the text read and not taken yet
    std::size_t end_ = 0;
    std::string_view line_;
    std::uint64_t number_ = 0;
    std::vector<std::string_view> words_;
};

}  // namespace linkworth::convert
