// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// MPI matching for long queues: without wildcards a match costs one look-up, however long the queues.
#pragma once

#include <cstdint>
#include <vector>

#include "calls/envelope.hpp"
#include "calls/pool.hpp"

namespace linkworth::replay {

/// A `Matcher` whose queues, one for each envelope, are found by a hash table.
class HashedMatcher {
  public:
    HashedMatcher();

    /// Returns the posted receive that this message meets, or `none`: then it waits as unexpected.
    std::uint32_t arrive(const Envelope& envelope, std::uint32_t message);
    /// Returns the unexpected message that this receive takes, or `none`: then it is posted.
    std::uint32_t post(const Envelope& envelope, std::uint32_t receive);
    /// The first unexpected message that a probe would see, or `none`.
    std::uint32_t peek(const Envelope& envelope) const;
    /// Takes back a posted receive. Returns false if it is not posted any more.
    bool withdraw(const Envelope& envelope, std::uint32_t receive);

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
};

}  // namespace linkworth::replay
