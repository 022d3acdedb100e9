// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "is_ranks.hpp"

#include <algorithm>
#include <cstddef>

namespace linkworth::npb::is {
namespace {

/// Keys: the processor does not run far enough ahead by itself.
constexpr std::size_t kPrefetchAhead = 512;
constexpr std::uint32_t kWrap = 256;

}  // namespace

void KeyCounts::count(std::span<const int> keys, int lowest, std::span<std::uint8_t> counters) {
    counters_ = counters;
    std::fill(counters.begin(), counters.end(), std::uint8_t{0});
    overflows_.clear();
    std::uint8_t* const counts = counters.data();
    const auto add = [&](int key) {
        const unsigned value = static_cast<unsigned>(key) - static_cast<unsigned>(lowest);
        if (++counts[value] == 0) [[unlikely]]
            overflows_.push_back(value);
    };
    constexpr std::size_t kLine = 16;
    std::size_t i = 0;
    for (; i + kLine <= keys.size(); i += kLine) {
        __builtin_prefetch(keys.data() + i + kPrefetchAhead);
        for (std::size_t k = 0; k < kLine; ++k) add(keys[i + k]);
    }
    for (; i < keys.size(); ++i) add(keys[i]);
}

void KeyCounts::sum(std::span<std::uint32_t> below) {
    std::sort(overflows_.begin(), overflows_.end());
    const std::uint8_t* const counts = counters_.data();
    std::uint32_t keys = 0;
    std::size_t value = 0;
    const auto sum_up_to = [&](std::size_t end) {
        for (; value < end; ++value) {
            below[value] = keys;
            keys += counts[value];
        }
    };
    for (const std::uint32_t overflow : overflows_) {
        sum_up_to(std::size_t{overflow} + 1);
        keys += kWrap;
    }
    sum_up_to(below.size());
}

}  // namespace linkworth::npb::is
