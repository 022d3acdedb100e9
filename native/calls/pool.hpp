// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Objects addressed by index, reused after release; memory grows to the largest number alive at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/event.hpp"
#include "calls/large_pages.hpp"

namespace linkworth::replay {

inline constexpr std::uint32_t none = 0xffffffffU;

using tracefile::cache_line_bytes;

/// Prefetches the lines of the cache that are needed soon.
inline void prefetch_lines(const void* begin, std::size_t bytes) {
    const char* const first = static_cast<const char*>(begin);
    for (std::size_t at = 0; at < bytes; at += cache_line_bytes) tracefile::prefetch_line(first + at);
}

template <typename T>
class Pool {
  public:
    std::uint32_t take() {
        const std::uint32_t index = take_unset();
        items_[index] = T{};
        return index;
    }
    /// Reuses an object without resetting it; the caller sets every field that it reads.
    std::uint32_t take_unset() {
        if (free_.empty()) [[unlikely]] {
            items_.emplace_back();
            return static_cast<std::uint32_t>(items_.size() - 1);
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        return index;
    }
    void release(std::uint32_t index) { free_.push_back(index); }
    T& operator[](std::uint32_t index) { return items_[index]; }
    const T& operator[](std::uint32_t index) const { return items_[index]; }
    /// The object is soon needed.
    void prefetch(std::uint32_t index) const { prefetch_lines(&items_[index], sizeof(T)); }

  private:
    LargeVector<T> items_;
    std::vector<std::uint32_t> free_;
};

}  // namespace linkworth::replay
