// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Messages with one side read and the other not yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "calls/large_pages.hpp"

namespace linkworth::profile {

inline constexpr std::uint32_t no_request = UINT32_MAX;
inline constexpr std::uint32_t no_half = UINT32_MAX;

/// The send or the receive of a message.
struct Half {
    double posted = 0;  ///< start of the call that sends or receives, in seconds
    double end = 0;     ///< end of that call if it blocks
    std::uint32_t name = 0;
    std::int32_t tag = 0;
    std::uint32_t request = no_request;  ///< of a call that does not block
    std::uint8_t protocol = 0;           ///< of a send: `SendProtocol`
};

/// Halves of one kind in the order of their calls. MPI matches those of one tag in this order.
struct HalfQueue {
    std::uint32_t first = no_half;
    std::uint32_t last = no_half;
};

/// The halves of all queues. Most wait for a short time, so that few places are used again and again, and
/// stay in the cache however many queues there are.
class Halves {
  public:
    /// Returns the half's number, for `remove`.
    std::uint32_t push(HalfQueue& queue, const Half& half) {
        if (free_ == no_half) [[unlikely]] {
            free_ = static_cast<std::uint32_t>(places_.size());
            places_.emplace_back();
        }
        const std::uint32_t number = free_;
        Place& to = places_[number];
        free_ = to.next;
        // Field by field: a copy in one piece would wait for the fields that were just written.
        to.half.posted = half.posted;
        to.half.end = half.end;
        to.half.name = half.name;
        to.half.tag = half.tag;
        to.half.request = half.request;
        to.half.protocol = half.protocol;
        to.next = no_half;
        to.queue = &queue;
        (queue.first == no_half ? queue.first : places_[queue.last].next) = number;
        queue.last = number;
        ++size_;
        return number;
    }

    /// Calls `take` with the queue's first one with this tag and removes it. Returns false if there is none.
    template <class Take>
    bool take(HalfQueue& queue, std::int32_t tag, Take take) {
        std::uint32_t before = no_half;
        for (std::uint32_t number = queue.first; number != no_half; number = places_[number].next) {
            if (const Half& half = places_[number].half; half.tag == tag) [[likely]] {
                take(half);
                unlink(queue, before, number);
                return true;
            }
            before = number;
        }
        return false;
    }

    void remove(std::uint32_t number) {
        HalfQueue& queue = *places_[number].queue;
        std::uint32_t before = no_half;
        for (std::uint32_t at = queue.first; at != number; at = places_[at].next) before = at;
        unlink(queue, before, number);
    }

    std::size_t size() const { return size_; }

  private:
    struct Place {
        Half half;
        HalfQueue* queue = nullptr;
        std::uint32_t next = no_half;  ///< in its queue, or of those that are free
    };

    void unlink(HalfQueue& queue, std::uint32_t before, std::uint32_t number) {
        const std::uint32_t next = std::exchange(places_[number].next, free_);
        free_ = number;
        (before == no_half ? queue.first : places_[before].next) = next;
        if (next == no_half) queue.last = before;
        --size_;
    }

    replay::LargeVector<Place> places_;
    std::uint32_t free_ = no_half;
    std::size_t size_ = 0;
};

}  // namespace linkworth::profile
