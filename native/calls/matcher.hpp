// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The two queues of MPI matching at one rank: receives posted, and messages that came before their receive.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "calls/envelope.hpp"
#include "calls/hashed_matcher.hpp"
#include "calls/pool.hpp"

namespace linkworth::replay {

/// Matches by MPI's rules: messages of one envelope in the order they came, receives in the order they were
/// posted, wildcards included. Items are indices that the caller chooses. Both queues are short lists in one
/// array, each searched from its front. This costs less than a hash table and takes few lines of the cache.
/// If more items have once waited at a rank, it uses a hash table from then on.
class Matcher {
  public:
    /// Returns the posted receive that this message meets, or `none`: then it waits as unexpected.
    std::uint32_t arrive(const Envelope& envelope, std::uint32_t message) {
        if (hashed_) [[unlikely]] {
            const std::uint32_t receive = hashed_->arrive(envelope, message);
            if (receive == none) ++messages_.waiting;
            return receive;
        }
        for (std::uint32_t place = 0; place < receives_.places; ++place)
            if (receive_at(place).envelope.accepts(envelope)) return take(receive_at(place), receives_);
        if (receives_.places + messages_.places == most_waiting) [[unlikely]] {
            make_room();
            return arrive(envelope, message);
        }
        message_at(messages_.places++) = {envelope, message};
        ++messages_.waiting;
        return none;
    }

    /// Returns the result that `arrive` would take from the list, if the list is in use.
    std::uint32_t foresee(const Envelope& envelope) const {
        for (std::uint32_t place = 0; place < receives_.places; ++place)
            if (list_[place].envelope.accepts(envelope)) return list_[place].item;
        return none;
    }

    /// Returns the unexpected message that this receive takes, or `none`: then it is posted.
    std::uint32_t post(const Envelope& envelope, std::uint32_t receive) {
        if (hashed_) [[unlikely]] {
            const std::uint32_t message = hashed_->post(envelope, receive);
            if (message != none) --messages_.waiting;
            return message;
        }
        const std::uint32_t place = place_of_message(envelope);
        if (place < messages_.places) return take(message_at(place), messages_);
        if (receives_.places + messages_.places == most_waiting) [[unlikely]] {
            make_room();
            return post(envelope, receive);
        }
        receive_at(receives_.places++) = {envelope, receive};
        ++receives_.waiting;
        return none;
    }

    /// The first unexpected message that a probe would see, or `none`.
    std::uint32_t peek(const Envelope& envelope) const;
    /// Takes back a posted receive. Returns false if it is not posted any more.
    bool withdraw(const Envelope& envelope, std::uint32_t receive);
    /// Messages that wait for their receive.
    std::uint32_t unexpected() const { return messages_.waiting; }

  private:
    /// Limit of both lists. A search through half of it costs about as much as the hash table.
    static constexpr std::uint32_t most_waiting = 16;

    struct Entry {
        Envelope envelope;
        std::uint32_t item = none;
    };
    /// A match moves nothing: what it takes leaves a place that matches no more. Such places go when nothing
    /// waits, or when there is need of room.
    struct Queue {
        std::uint32_t waiting = 0;
        std::uint32_t places = 0;
    };
    static constexpr Entry taken{{none, INT32_MIN, INT32_MIN}, none};

    Entry& receive_at(std::uint32_t place) { return list_[place]; }
    /// From the end on.
    Entry& message_at(std::uint32_t place) { return list_[most_waiting - 1 - place]; }
    const Entry& message_at(std::uint32_t place) const { return list_[most_waiting - 1 - place]; }

    std::uint32_t place_of_message(const Envelope& wanted) const {
        std::uint32_t place = 0;
        while (place < messages_.places && !wanted.accepts(message_at(place).envelope)) ++place;
        return place;
    }

    static std::uint32_t take(Entry& entry, Queue& queue) {
        const std::uint32_t item = entry.item;
        entry = taken;
        if (--queue.waiting == 0) queue.places = 0;
        return item;
    }

    void make_room();

    Queue receives_;
    Queue messages_;
    std::unique_ptr<HashedMatcher> hashed_;  ///< instead of the lists
    std::array<Entry, most_waiting> list_ = {};
};

}  // namespace linkworth::replay
