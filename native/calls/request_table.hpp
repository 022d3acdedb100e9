// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A table of what a rank's live requests stand for, by number. Numbers rise, and most requests end soon. A
/// short table contains the latest, and a map the few that live on while many others come and go.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "calls/event.hpp"

namespace linkworth::replay {

/// Numbers of live requests differ in their lowest 32 bits, unless the trace is damaged.
class RequestTable {
  public:
    RequestTable() {
        for (std::size_t place = 0; place < few_places; ++place) few_[place].number = other_than(place);
    }

    [[gnu::always_inline]] void insert(std::uint64_t number, std::uint32_t value) {
        const auto low = static_cast<std::uint32_t>(number);
        Place& place = place_of(low);
        if (belongs_at(place, low) && place.number != low) [[unlikely]]
            make_room(low) = {low, value};
        else
            place = {low, value};
    }

    /// Returns false if no such request is live.
    bool take(std::uint64_t number, std::uint32_t& value) {
        const auto low = static_cast<std::uint32_t>(number);
        Place& place = place_of(low);
        if (place.number != low) [[unlikely]] {
            if (!find_long_lived(low, value)) return false;
            long_lived_->erase(low);
            return true;
        }
        value = place.value;
        place.number = other_than(low);
        return true;
    }

    bool find(std::uint64_t number, std::uint32_t& value) const {
        const auto low = static_cast<std::uint32_t>(number);
        const Place& place = place_of(low);
        if (place.number != low) return find_long_lived(low, value);
        value = place.value;
        return true;
    }

    /// This request and the next ones are soon made or ended.
    void prefetch(std::uint64_t number) const {
        tracefile::prefetch_line(&place_of(static_cast<std::uint32_t>(number)));
    }

  private:
    /// An empty place has a number that belongs to another one.
    struct Place {
        std::uint32_t number;
        std::uint32_t value;
    };
    static constexpr std::size_t few_places = tracefile::cache_line_bytes / sizeof(Place);

    static std::uint32_t other_than(std::size_t number) { return ~static_cast<std::uint32_t>(number); }
    /// Returns whether the request at a place belongs where this number does.
    bool belongs_at(const Place& place, std::uint32_t number) const {
        return ((place.number ^ number) & mask_) == 0;
    }
    const Place& place_of(std::uint32_t number) const {
        return (mask_ < few_places ? few_.data() : more_.data())[number & mask_];
    }
    Place& place_of(std::uint32_t number) {
        return (mask_ < few_places ? few_.data() : more_.data())[number & mask_];
    }

    /// Frees the place of a number: in a longer table if half of this one is live. Else all requests move to
    /// the map, so that this is seldom needed.
    [[gnu::noinline]] Place& make_room(std::uint32_t number) {
        std::size_t live = 0;
        for (std::uint32_t at = 0; at <= mask_; ++at) live += belongs_at(place_of(at), at) ? 1 : 0;
        if (2 * live > mask_)
            grow();
        else
            retire_all();
        Place& place = place_of(number);
        return belongs_at(place, number) ? make_room(number) : place;
    }

    void retire_all() {
        if (long_lived_ == nullptr)
            long_lived_ = std::make_unique<std::unordered_map<std::uint32_t, std::uint32_t>>();
        for (std::uint32_t at = 0; at <= mask_; ++at) {
            Place& place = place_of(at);
            if (!belongs_at(place, at)) continue;
            (*long_lived_)[place.number] = place.value;
            place.number = other_than(at);
        }
    }

    void grow() {
        std::vector<Place> longer(2 * (mask_ + std::size_t{1}));
        const auto mask = static_cast<std::uint32_t>(longer.size() - 1);
        for (std::size_t place = 0; place <= mask; ++place) longer[place].number = other_than(place);
        for (std::uint32_t at = 0; at <= mask_; ++at)
            if (const Place& place = place_of(at); belongs_at(place, at)) longer[place.number & mask] = place;
        more_ = std::move(longer);
        mask_ = mask;
    }

    bool find_long_lived(std::uint32_t number, std::uint32_t& value) const {
        if (long_lived_ == nullptr) return false;
        const auto found = long_lived_->find(number);
        if (found == long_lived_->end()) return false;
        value = found->second;
        return true;
    }

    /// Table of most ranks, stored with the rank: with many ranks, any other place costs an access to memory.
    alignas(tracefile::cache_line_bytes) std::array<Place, few_places> few_;
    std::vector<Place> more_;  ///< the table, if it is longer
    std::uint32_t mask_ = few_places - 1;
    std::unique_ptr<std::unordered_map<std::uint32_t, std::uint32_t>> long_lived_;
};

}  // namespace linkworth::replay
