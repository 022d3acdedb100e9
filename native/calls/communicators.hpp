// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Communicators across ranks: each rank numbers its own, this finds which ones are the same. The replay, the
/// profile and the converters use it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "calls/collectives/intergroup.hpp"
#include "calls/collectives/neighborhood.hpp"
#include "calls/collectives/topology.hpp"
#include "calls/event.hpp"
#include "calls/pool.hpp"

namespace linkworth::replay {

/// Mixes a number into a 64-bit key (the finaliser of SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
inline std::uint64_t mixed(std::uint64_t key, std::uint64_t number) {
    std::uint64_t value = (key ^ number) + 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111eb;
    return value ^ (value >> 31U);
}

/// One communicator of the program. `members[i]` is the world rank of its rank i.
struct Communicator {
    std::uint32_t context = 0;
    std::uint64_t key = 0;  ///< does not depend on the order in which ranks are read; equal on both sides
    std::span<const std::int32_t> members;
    std::span<const std::int32_t> remote;  ///< the other group of an inter-communicator
    bool inter = false;
    const Communicator* both = nullptr;  ///< inter: the union of the groups, on which collectives run
    std::uint32_t offset = 0;            ///< inter: rank in the union of this group's rank 0
    collectives::Sides sides;            ///< inter: the groups in ranks of the union
    mutable std::unique_ptr<const collectives::Topology> topology;  ///< made at the first collective

    std::uint32_t size() const { return static_cast<std::uint32_t>(members.size()); }
    std::span<const std::int32_t> peers() const { return inter ? remote : members; }
    /// Returns whether messages may name this rank: it is no wildcard, nor MPI_PROC_NULL.
    bool has_peer(std::int32_t rank) const { return static_cast<std::uint32_t>(rank) < peers().size(); }
    /// World rank of a rank that messages name. Throws std::out_of_range if there is none.
    std::uint32_t world_rank(std::int32_t rank) const {
        if (!has_peer(rank)) throw std::out_of_range("a rank that is not in the communicator");
        return static_cast<std::uint32_t>(peers()[static_cast<std::uint32_t>(rank)]);
    }
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
    Membership& define(std::uint32_t rank, const tracefile::Shape& made);
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
        std::vector<std::int32_t> everyone;                 ///< members of these unions
        std::unordered_map<std::uint32_t, std::size_t> count_by_rank;
    };

    static constexpr std::size_t world = 0;

    /// Communicators by number. Most calls use the world, which costs one line of the cache.
    struct alignas(cache_line_bytes) OfRank {
        Membership of_world;
        std::vector<Membership> further;  ///< [number - 1]
    };

    void check(const std::vector<std::int32_t>& members) const;
    const Communicator* parent_of(std::uint32_t rank, const tracefile::Shape& made);
    void unite(Family& family);

    LargeVector<OfRank> by_rank_;
    std::deque<collectives::Neighbours> neighbours_;
    std::vector<std::unique_ptr<Communicator>> duplicates_;
    std::map<Origin, Family> families_;
    std::uint32_t next_context_ = 0;
};

}  // namespace linkworth::replay
