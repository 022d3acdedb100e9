// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Remembers the cost of messages by size: most programs send few sizes, again and again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace linkworth::replay {

/// A pure function of a message's bytes, and its latest values. Not for several threads at once.
template <typename Function>
class BySize {
  public:
    using Value = decltype(std::declval<const Function&>()(std::uint64_t{}));

    explicit BySize(Function function) : function_(std::move(function)) { known_.fill({0, function_(0)}); }

    const Value& of(std::uint64_t bytes) {
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
        Known& place = known_[(bytes * 0x9e3779b97f4a7c15U) >> (64 - place_bits)];
        if (place.bytes != bytes) [[unlikely]]
            place = {bytes, function_(bytes)};
        return place.value;
    }

  private:
    static constexpr unsigned place_bits = 5;
    struct Known {
        std::uint64_t bytes;
        Value value;
    };

    Function function_;
    std::array<Known, std::size_t{1} << place_bits> known_;
};

}  // namespace linkworth::replay
