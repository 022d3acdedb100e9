// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The open requests of a rank, by the number that the trace gives them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "profile/halves.hpp"

namespace linkworth::profile {

/// Requests are short-lived and have rising numbers. Most are found in a small table. Those displaced by a
/// later one are in a map.
class RankRequests {
  public:
    struct Entry {
        std::uint64_t number = UINT64_MAX;
        std::uint32_t half = no_half;
        std::int32_t comm = 0;  ///< of a receive with a wildcard
    };

    void put(const Entry& entry) {
        Entry& place = places_[entry.number % size];
        if (place.number != UINT64_MAX && place.number != entry.number) [[unlikely]]
            others_[place.number] = place;
        place = entry;
    }

    /// Takes it out; the half is `no_half` if there is none.
    Entry take(std::uint64_t number) {
        Entry& place = places_[number % size];
        if (place.number == number) [[likely]]
            return std::exchange(place, {});
        Entry found;
        if (const auto other = others_.find(number); other != others_.end()) {
            found = other->second;
            others_.erase(other);
        }
        return found;
    }

    /// Leaves it there; the half is `no_half` if there is none.
    Entry find(std::uint64_t number) const {
        const Entry& place = places_[number % size];
        if (place.number == number) return place;
        const auto other = others_.find(number);
        return other == others_.end() ? Entry{} : other->second;
    }

  private:
    static constexpr std::size_t size = 128;
    std::array<Entry, size> places_;
    std::unordered_map<std::uint64_t, Entry> others_;
};

}  // namespace linkworth::profile
