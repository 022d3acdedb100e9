// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Pairs of ranks with messages, found by communicator, source and destination.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/large_pages.hpp"
#include "profile/halves.hpp"

namespace linkworth::profile {

/// All messages from one rank to another in one communicator.
struct Channel {
    std::uint32_t communicator = 0;
    std::uint32_t source = 0;  ///< world ranks
    std::uint32_t destination = 0;
    HalfQueue sends;
    HalfQueue receives;
};

class Channels {
  public:
    /// The reference stays valid.
    Channel& at(std::uint32_t communicator, std::uint32_t source, std::uint32_t destination) {
        std::size_t place = place_of(communicator, source, destination);
        if (places_[place] == nullptr) [[unlikely]] {
            if (2 * size_ >= places_.size()) {
                grow();
                place = place_of(communicator, source, destination);
            }
            places_[place] = &add({communicator, source, destination, {}, {}});
        }
        return *places_[place];
    }

  private:
    static constexpr std::size_t least = 64;

    /// Returns the channel's place, or the free one where it would be.
    std::size_t place_of(std::uint32_t communicator, std::uint32_t source, std::uint32_t destination) const {
        constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
        const std::size_t mask = places_.size() - 1;
        const std::uint64_t pair = std::uint64_t{source} << 32 | destination;
        const std::uint64_t mixed = (pair ^ communicator * odd) * odd;
        std::size_t place = (mixed ^ mixed >> 32) & mask;
        for (const Channel* found = places_[place];
             found != nullptr && (found->destination != destination || found->source != source ||
                                  found->communicator != communicator);
             found = places_[place]) {
            place = (place + 1) & mask;
        }
        return place;
    }

    Channel& add(const Channel& channel) {
        if (channels_.empty() || channels_.back().size() == channels_.back().capacity())
            channels_.emplace_back().reserve(std::max(least, size_));
        ++size_;
        return channels_.back().emplace_back(channel);
    }

    void grow() {
        places_.assign(2 * places_.size(), nullptr);
        for (auto& some : channels_)
            for (Channel& channel : some)
                places_[place_of(channel.communicator, channel.source, channel.destination)] = &channel;
    }

    std::vector<replay::LargeVector<Channel>> channels_;  ///< each full one as long as all before it
    std::size_t size_ = 0;                                ///< of all of them
    replay::LargeVector<Channel*> places_ =
        replay::LargeVector<Channel*>(least, nullptr);  ///< a power of two
};

}  // namespace linkworth::profile
