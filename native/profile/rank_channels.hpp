// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The channels that one rank's messages have met, found by communicator and peer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "calls/communicators.hpp"
#include "profile/halves.hpp"

namespace linkworth::profile {

class RankChannels {
  public:
    struct Place {
        const replay::Communicator* communicator = nullptr;
        std::int32_t peer = 0;
        bool to_peer = false;
        Channel* channel = nullptr;
    };

    /// Returns the place for a channel: one with a communicator is known, even if it has no channel.
    Place& at(const replay::Communicator* communicator, std::int32_t peer, bool to_peer) {
        if (2 * used_ >= places_.size()) {
            grow();
        }
        Place& found = find(communicator, peer, to_peer);
        if (found.communicator == nullptr) {
            ++used_;
            found.peer = peer;
            found.to_peer = to_peer;
        }
        return found;
    }

  private:
    Place& find(const replay::Communicator* communicator, std::int32_t peer, bool to_peer) {
        constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
        const std::uint64_t key = 2 * static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) + to_peer;
        const std::size_t mask = places_.size() - 1;
        std::size_t at = ((key ^ reinterpret_cast<std::uintptr_t>(communicator)) * odd >> 32) & mask;
        while (places_[at].communicator != nullptr &&
               (places_[at].communicator != communicator || places_[at].peer != peer ||
                places_[at].to_peer != to_peer)) {
            at = (at + 1) & mask;
        }
        return places_[at];
    }

    void grow() {
        constexpr std::size_t least = 16;
        std::vector<Place> before(places_.empty() ? least : 2 * places_.size());
        std::swap(before, places_);
        for (const Place& place : before) {
            if (place.communicator != nullptr) {
                find(place.communicator, place.peer, place.to_peer) = place;
            }
        }
    }

    std::vector<Place> places_;  ///< their number is a power of two
    std::size_t used_ = 0;
};

}  // namespace linkworth::profile
