// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Objects addressed by index, reused after release; memory grows to the largest number alive at once.
#pragma once

#include <cstdint>
#include <vector>

namespace linkworth::replay {

inline constexpr std::uint32_t none = 0xffffffffU;

template <typename T>
class Pool {
  public:
    std::uint32_t take() {
        if (free_.empty()) {
            items_.emplace_back();
            return static_cast<std::uint32_t>(items_.size() - 1);
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        items_[index] = T{};
        return index;
    }
    void release(std::uint32_t index) { free_.push_back(index); }
    T& operator[](std::uint32_t index) { return items_[index]; }
    const T& operator[](std::uint32_t index) const { return items_[index]; }

  private:
    std::vector<T> items_;
    std::vector<std::uint32_t> free_;
};

}  // namespace linkworth::replay
