// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The two queues of MPI matching at one rank: receives posted, and messages that came before their receive.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/pool.hpp"
#include "tracefile/event.hpp"

namespace linkworth::replay {

/// What a message carries and a receive asks for. `source` is a rank of the communicator.
struct Envelope {
    std::uint32_t context = 0;  ///< communicator, kept apart for collectives
    std::int32_t source = 0;
    std::int32_t tag = 0;

    bool has_wildcard() const { return source == tracefile::any_source || tag == tracefile::any_tag; }
    bool accepts(const Envelope& message) const {
        return context == message.context && (source == tracefile::any_source || source == message.source) &&
               (tag == tracefile::any_tag || tag == message.tag);
    }
    bool operator==(const Envelope&) const = default;
};

/// Matches by MPI's rules: messages of one envelope in the order they came, receives in the order they were
/// posted, wildcards included. Without wildcards a match costs one look-up in a hash table. Items are indices
/// that the caller chooses.
class Matcher {
  public:
    Matcher();

    /// Returns the posted receive that this message meets, or `none`: then it waits as unexpected.
    std::uint32_t arrive(const Envelope& envelope, std::uint32_t message);
    /// Returns the unexpected message that this receive takes, or `none`: then it is posted.
    std::uint32_t post(const Envelope& envelope, std::uint32_t receive);
    /// The first unexpected message that a probe would see, or `none`.
    std::uint32_t peek(const Envelope& envelope) const;
    /// Takes back a posted receive; false where it is not posted any more.
    bool withdraw(const Envelope& envelope, std::uint32_t receive);
    /// Messages that wait for their receive.
    std::uint32_t unexpected() const { return unexpected_; }

    struct Link {
        Envelope envelope;
        std::uint32_t item = none;
        std::uint32_t next = none;     ///< in the queue of its envelope
        std::uint32_t earlier = none;  ///< in order of arrival (messages only)
        std::uint32_t later = none;
        std::uint64_t order = 0;
    };

  private:
    /// A place in the hash table: the queue of one envelope, of messages or of receives (never both at once).
    /// An empty queue keeps its place until there is need of room, because the same envelope often comes
    /// again.
    struct Place {
        Envelope envelope;
        std::uint32_t first = none;
        std::uint32_t last = none;
        bool used = false;
        bool messages = false;
    };

    std::uint32_t find(const Envelope& envelope) const;
    void append(std::uint32_t place, const Envelope& envelope, std::uint32_t link, bool messages);
    std::uint32_t pop_first(std::uint32_t place);
    void make_room();
    void unlink_arrival(std::uint32_t link);
    std::uint32_t place_of_oldest(const Envelope& wanted);

    std::vector<Place> places_;
    std::uint32_t used_ = 0;
    Pool<Link> links_;
    std::uint32_t oldest_ = none;
    std::uint32_t newest_ = none;
    std::vector<std::uint32_t> wildcards_;  ///< links of posted wildcard receives, in order
    std::uint64_t order_ = 0;
    std::uint32_t unexpected_ = 0;
};

}  // namespace linkworth::replay
