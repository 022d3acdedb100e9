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
/// posted, wildcards included. Items are indices that the caller chooses. Both queues are one short list that
/// is searched from its front. This costs less than a hash table and takes a cache line or two. If more items
/// have once waited at a rank, it uses a hash table from then on.
class Matcher {
  public:
    /// Returns the posted receive that this message meets, or `none`: then it waits as unexpected.
    std::uint32_t arrive(const Envelope& envelope, std::uint32_t message) {
        if (hashed_) [[unlikely]] {
            const std::uint32_t receive = hashed_->arrive(envelope, message);
            if (receive == none) ++unexpected_;
            return receive;
        }
        for (std::uint32_t place = 0; place < waiting_; ++place) {
            const Entry& entry = list_[place];
            if (!entry.is_message() && entry.envelope.accepts(envelope)) return take(place);
        }
        ++unexpected_;
        append({envelope, message | message_mark});
        return none;
    }

    /// Returns the result that `arrive` would take from the list, if the list is in use.
    std::uint32_t foresee(const Envelope& envelope) const {
        for (std::uint32_t place = 0; place < waiting_; ++place) {
            const Entry& entry = list_[place];
            if (!entry.is_message() && entry.envelope.accepts(envelope)) return entry.item();
        }
        return none;
    }

    /// Returns the unexpected message that this receive takes, or `none`: then it is posted.
    std::uint32_t post(const Envelope& envelope, std::uint32_t receive) {
        if (hashed_) [[unlikely]] {
            const std::uint32_t message = hashed_->post(envelope, receive);
            if (message != none) --unexpected_;
            return message;
        }
        const std::uint32_t place = unexpected_ > 0 ? place_of_message(envelope) : waiting_;
        if (place < waiting_) {
            --unexpected_;
            return take(place);
        }
        append({envelope, receive});
        return none;
    }

    /// The first unexpected message that a probe would see, or `none`.
    std::uint32_t peek(const Envelope& envelope) const;
    /// Takes back a posted receive. Returns false if it is not posted any more.
    bool withdraw(const Envelope& envelope, std::uint32_t receive);
    /// Messages that wait for their receive.
    std::uint32_t unexpected() const { return unexpected_; }

  private:
    /// Limit of the list. A search through half of it costs about as much as the hash table.
    static constexpr std::size_t most_waiting = 16;

    /// Items stay below it.
    static constexpr std::uint32_t message_mark = 1U << 31U;

    struct Entry {
        Envelope envelope;
        std::uint32_t marked_item = none;  ///< with `message_mark` if it is a message

        bool is_message() const { return (marked_item & message_mark) != 0; }
        std::uint32_t item() const { return marked_item & ~message_mark; }
    };

    std::uint32_t place_of_message(const Envelope& wanted) const {
        std::uint32_t place = 0;
        while (place < waiting_ && !(list_[place].is_message() && wanted.accepts(list_[place].envelope)))
            ++place;
        return place;
    }

    std::uint32_t take(std::uint32_t place) {
        const std::uint32_t item = list_[place].item();
        --waiting_;
        for (; place < waiting_; ++place) list_[place] = list_[place + 1];
        return item;
    }

    void append(const Entry& entry) {
        if (waiting_ == most_waiting) [[unlikely]]
            grow(entry);
        else
            list_[waiting_++] = entry;
    }

    void grow(const Entry& entry);

    std::uint32_t waiting_ = 0;  ///< entries of the list
    std::uint32_t unexpected_ = 0;
    std::unique_ptr<HashedMatcher> hashed_;      ///< instead of the list
    std::array<Entry, most_waiting> list_ = {};  ///< in the order of their coming
};

}  // namespace linkworth::replay
