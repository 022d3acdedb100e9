// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/ti/lines.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "convert/convert_error.hpp"
#include "convert/ti/ti.hpp"
#include "trace/container.hpp"

namespace linkworth::convert {

TiLines::TiLines(std::string path)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "rb")), buffer_(buffer_bytes) {
    if (!file_) throw ConvertError(path_ + " cannot be read: " + std::strerror(errno));
}

bool TiLines::read_line() {
    std::size_t searched = begin_;
    for (;;) {
        const void* found = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
        if (found != nullptr) {
            const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
            line_ = {buffer_.data() + begin_, at - begin_};
            begin_ = at + 1;
            return true;
        }
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
        searched = end_;
        if (end_ == buffer_.size()) {
            if (end_ >= longest_line) {
                ++number_;
                fail("the line is too long for a time-independent trace");
            }
            buffer_.resize(2 * buffer_.size());
        }
        const std::size_t read = std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, file_.get());
        if (read == 0) {
            if (std::ferror(file_.get()) != 0)
                throw ConvertError(path_ + " cannot be read: " + std::strerror(errno));
            line_ = {buffer_.data(), end_};
            begin_ = end_;
            return !line_.empty();
        }
        end_ += read;
    }
}

bool TiLines::next() {
    constexpr std::string_view blanks = " \t\r";
    while (read_line()) {
        ++number_;
        words_.clear();
        std::size_t at = line_.find_first_not_of(blanks);
        while (at != std::string_view::npos) {
            const std::size_t end = std::min(line_.find_first_of(blanks, at), line_.size());
            words_.push_back(line_.substr(at, end - at));
            at = line_.find_first_not_of(blanks, end);
        }
        if (!words_.empty() && words_[0][0] != '#') return true;
    }
    return false;
}

std::uint32_t TiLines::rank() const {
    std::string_view word = words_[0];
    if (word[0] == 'p') word.remove_prefix(1);
    std::uint32_t rank = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), rank);
    if (error != std::errc() || end != word.data() + word.size() || rank >= tracefile::most_ranks)
        fail("an action begins with the number of its rank, not with " +
             std::string(words_[0].substr(0, 40)));
    return rank;
}

void TiLines::fail(const std::string& what) const {
    throw ConvertError(path_ + ", line " + std::to_string(number_) + ": " + what);
}

}  // namespace linkworth::convert
