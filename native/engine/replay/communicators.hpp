// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Communicators across ranks: each rank numbers its own, this finds which ones are the same.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "replay/collectives/intergroup.hpp"
#include "replay/collectives/neighborhood.hpp"
#include "replay/collectives/topology.hpp"
#include "replay/pool.hpp"
#include "tracefile/event.hpp"

namespace linkworth::replay {

/// One communicator of the program. `members[i]` is the world rank of its rank i.
struct Communicator {
    std::uint32_t context = 0;
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> remote;  ///< the other group of an inter-communicator
    bool inter = false;
    const Communicator* both = nullptr;  ///< inter: the union of the groups, on which collectives run
    std::uint32_t offset = 0;            ///< inter: rank in the union of this group's rank 0
    collectives::Sides sides;            ///< inter: the groups in ranks of the union
    mutable std::unique_ptr<const collectives::Topology> topology;  ///< made at the first collective

    std::uint32_t size() const { return static_cast<std::uint32_t>(members.size()); }
    const std::vector<std::int32_t>& peers() const { return inter ? remote : members; }
};

/// A rank's view of a communicator.
struct Membership {
    const Communicator* communicator = nullptr;
    std::uint32_t my_rank = 0;
    std::uint32_t collectives = 0;                        ///< collectives begun on it
    const collectives::Neighbours* neighbours = nullptr;  ///< null if the trace has none
};

/// Two ranks' communicators are the same if they are made from the same communicator, have the same members,
/// and are each rank's k-th such communicator (docs/reference/trace-format.md).
class Communicators {
  public:
    explicit Communicators(std::uint32_t ranks);

    /// Returns null if the rank's trace never defined that communicator (its block was lost).
    Membership* find(std::uint32_t rank, std::int32_t number) {
        OfRank& mine = by_rank_[rank];
        const auto slot = static_cast<std::size_t>(static_cast<std::uint32_t>(number));
        if (slot > mine.further.size()) return nullptr;
        Membership* const found = slot == world ? &mine.of_world : &mine.further[slot - 1];
        return found->communicator == nullptr ? nullptr : found;
    }
    /// The rank's calls look for its communicators soon.
    void prefetch(std::uint32_t rank) const { prefetch_lines(&by_rank_[rank], sizeof(OfRank)); }
    /// Takes a rank's comm_new or icomm_new. Throws `std::invalid_argument` for members that cannot be.
    void define(std::uint32_t rank, const tracefile::Shape& made);
    /// Gives a rank's communicator its process topology.
    void set_neighbours(std::uint32_t rank, std::int32_t number, collectives::Neighbours neighbours);
    /// Returns a communicator of the same members, whose messages must not match those of `original`.
    const Communicator* duplicate(const Communicator& original);
    void forget(std::uint32_t rank, std::int32_t number);

  private:
    struct Origin {
        std::uint32_t parent;  ///< context, or no_parent
        std::vector<std::int32_t> members;
        std::vector<std::int32_t> remote;
        auto operator<=>(const Origin&) const = default;
    };
    struct Family {
        std::vector<std::unique_ptr<Communicator>> instances;
        std::vector<std::unique_ptr<Communicator>> unions;  ///< of an inter-communicator's groups
        std::unordered_map<std::uint32_t, std::size_t> count_by_rank;
    };

    static constexpr std::size_t world = 0;

    /// Communicators by number. Most calls use the world, which costs one line of the cache.
    struct alignas(cache_line_bytes) OfRank {
        Membership of_world;
        std::vector<Membership> further;  ///< [number - 1]
    };

    void check(const std::vector<std::int32_t>& members) const;
    std::uint32_t parent_of(std::uint32_t rank, const tracefile::Shape& made);
    void unite(Family& family);

    LargeVector<OfRank> by_rank_;
    std::deque<collectives::Neighbours> neighbours_;
    std::vector<std::unique_ptr<Communicator>> duplicates_;
    std::map<Origin, Family> families_;
    std::uint32_t next_context_ = 0;
};

}  // namespace linkworth::replay
