// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Messages with one side read and the other not yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "calls/event.hpp"
#include "calls/large_pages.hpp"

namespace linkworth::profile {

inline constexpr std::uint32_t no_half = UINT32_MAX;

/// By what MPI pairs a send with a receive; ranks are those of the world. Two words, so that nothing waits
/// for the parts to be put together.
struct Pairing {
    std::uint64_t ranks = 0;  ///< source, destination
    std::uint64_t line = 0;   ///< communicator, tag

    Pairing() = default;
    Pairing(std::uint32_t source, std::uint32_t destination, std::uint32_t communicator, std::int32_t tag)
        : ranks(std::uint64_t{source} << 32 | destination),
          line(std::uint64_t{communicator} << 32 | static_cast<std::uint32_t>(tag)) {}

    std::uint32_t source() const { return static_cast<std::uint32_t>(ranks >> 32); }
    std::uint32_t destination() const { return static_cast<std::uint32_t>(ranks); }
    std::uint32_t communicator() const { return static_cast<std::uint32_t>(line >> 32); }
    std::int32_t tag() const { return static_cast<std::int32_t>(static_cast<std::uint32_t>(line)); }
    bool operator==(const Pairing&) const = default;
};

enum class Side : std::uint8_t { send, receive };

/// The send or the receive of a message.
struct Half {
    Pairing pairing;
    double posted = 0;  ///< start of the call that sends or receives, in seconds
    double end = 0;     ///< end of that call if it blocks; of a receive with a probe: end of the probe
    std::uint32_t name = 0;
    Side side = Side::send;
    std::uint8_t protocol = 0;  ///< of a send: `SendProtocol`
    bool blocks = false;        ///< no request completes it

    std::uint32_t other_rank() const { return side == Side::send ? pairing.destination() : pairing.source(); }
};

/// A call that found a message, for the blocking receive that takes it.
struct Probe {
    Pairing pairing;
    double start = 0;
    double end = 0;
    std::uint32_t name = no_half;  ///< `no_half`: there is none
};

/// The halves of a run, by number, and queues of those that wait for their other one. A queue has halves of
/// one pairing and one side, in the order of their calls, as MPI matches them. Only queues that are not empty
/// take memory. Places are used again at once and stay in the cache.
class Halves {
  public:
    enum class State : std::uint8_t {
        alone,
        waits,  ///< in a queue
        met,    ///< the other one is known, or will never be
    };
    /// A half with its links, on one line of the cache.
    struct alignas(tracefile::cache_line_bytes) Place : Half {
        State state = State::alone;
        double partner_posted = 0;  ///< of one that has met; of a blocking one: since when it may wait
        std::uint32_t call =
            no_half;  ///< that waits for the request; of a blocking receive: name of its probe
        std::uint32_t next = no_half;  ///< in its queue, or of those that are free

      private:
        friend class Halves;
        std::uint32_t last = no_half;        ///< of the queue, if it is the first one
        std::uint32_t next_queue = no_half;  ///< likewise: of those with the same place in the table
    };
    static_assert(sizeof(Place) == tracefile::cache_line_bytes);

    std::uint32_t add(const Half& half) {
        if (free_ == no_half) [[unlikely]] {
            free_ = static_cast<std::uint32_t>(places_.size());
            places_.emplace_back();
        }
        const std::uint32_t number = free_;
        Place& place = places_[number];
        free_ = place.next;
        static_cast<Half&>(place) = half;
        place.state = State::alone;
        place.call = no_half;
        return number;
    }
    void release(std::uint32_t number) { places_[number].next = std::exchange(free_, number); }
    Place& operator[](std::uint32_t number) { return places_[number]; }

    /// The first half of the pairing's queue, or `no_half`, for `wait` or `take`; valid until the next call.
    std::uint32_t& first_of(const Pairing& pairing) {
        std::uint32_t* first = &table_[slot_of(pairing)];
        while (*first != no_half && places_[*first].pairing != pairing) first = &places_[*first].next_queue;
        return *first;
    }
    /// Puts a half at the end of its queue.
    void wait(std::uint32_t& first, std::uint32_t number) {
        Place& place = places_[number];
        place.state = State::waits;
        place.next = no_half;
        if (first == no_half) {
            place.last = number;
            place.next_queue = no_half;
            first = number;
        } else {
            places_[std::exchange(places_[first].last, number)].next = number;
        }
        if (++size_ > slots_) [[unlikely]]
            grow();
    }
    /// Takes the first half out of its queue, which is not empty.
    std::uint32_t take(std::uint32_t& first) {
        const std::uint32_t number = first;
        Place& place = places_[number];
        place.state = State::alone;
        --size_;
        if (place.next == no_half) [[likely]] {
            first = place.next_queue;
        } else {
            Place& next = places_[place.next];
            next.last = place.last;
            next.next_queue = place.next_queue;
            first = place.next;
        }
        return number;
    }
    /// Takes a half out of its queue, wherever it is.
    void remove(std::uint32_t number) {
        std::uint32_t& first = first_of(places_[number].pairing);
        if (first == number) {
            take(first);
            return;
        }
        std::uint32_t before = first;
        while (places_[before].next != number) before = places_[before].next;
        places_[before].next = places_[number].next;
        if (places_[first].last == number) places_[first].last = before;
        places_[number].state = State::alone;
        --size_;
    }
    /// Calls `visit(number)` for each half in a queue.
    template <class Visit>
    void each_waiting(const Visit& visit) const {
        for (std::uint32_t number = 0; number < places_.size(); ++number)
            if (places_[number].state == State::waits) visit(number);
    }
    /// Number of those in queues.
    std::size_t size() const { return size_; }

  private:
    static constexpr unsigned least_slot_bits = 10;

    std::size_t slot_of(const Pairing& pairing) const {
        constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
        const std::uint64_t mixed = ((pairing.line * odd) ^ pairing.ranks) * odd;
        return mixed >> shift_;
    }
    void grow() {
        slots_ *= 2;
        --shift_;
        replay::LargeVector<std::uint32_t> old(slots_, no_half);
        table_.swap(old);
        for (std::uint32_t first : old) {
            while (first != no_half) {
                std::uint32_t& slot = table_[slot_of(places_[first].pairing)];
                first = std::exchange(places_[first].next_queue, std::exchange(slot, first));
            }
        }
    }

    replay::LargeVector<Place> places_;
    std::uint32_t free_ = no_half;
    std::size_t slots_ = std::size_t{1} << least_slot_bits;
    unsigned shift_ = 64 - least_slot_bits;  ///< of a mixed pairing to its slot
    replay::LargeVector<std::uint32_t> table_ =
        replay::LargeVector<std::uint32_t>(slots_, no_half);  ///< firsts of queues
    std::size_t size_ = 0;
};

}  // namespace linkworth::profile
