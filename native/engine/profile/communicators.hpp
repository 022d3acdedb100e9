// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The communicators of the ranks while their events are read: numbers, members, and which are the same one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracefile/event.hpp"

namespace linkworth::profile {

/// A communicator from the view of one of its ranks. Members are world ranks in the communicator's order.
struct Group {
    std::span<const std::int32_t> members;
    std::span<const std::int32_t> remote_members;  ///< of an inter-communicator; messages go to these
    std::vector<std::int32_t> destinations;        ///< neighbours that this rank sends to, in their order
    std::int32_t own_rank = 0;
    bool inter = false;

    std::int32_t size() const { return static_cast<std::int32_t>(members.size()); }
    /// World rank of `peer`; -1 for a wildcard, MPI_PROC_NULL or a rank that is none.
    std::int32_t world_rank(std::int32_t peer) const;
};

/// Lists of members of all ranks' communicators. Each is kept once, so that memory does not grow with the
/// square of the ranks.
class MemberLists {
  public:
    explicit MemberLists(std::uint32_t world_size);

    /// Number of a list; equal lists have the same one.
    std::uint32_t number(std::span<const std::int32_t> members);
    std::span<const std::int32_t> members(std::uint32_t number) const { return *lists_[number]; }
    /// Returns the number of the communicator that is each member's `count`-th of `parent` (the parent's
    /// number, or no_parent) with these members. It is equal for all its ranks, also for the two sides of an
    /// inter-communicator.
    std::uint32_t communicator(std::uint32_t parent, std::uint32_t members, std::uint32_t remote_members,
                               bool inter, std::uint32_t count);
    /// Parent of communicators whose members do not agree on one.
    static constexpr std::uint32_t no_parent = UINT32_MAX;

  private:
    struct Hash {
        std::size_t operator()(const std::vector<std::int32_t>& list) const;
    };
    struct Identity {
        std::uint32_t parent;
        std::uint32_t low;
        std::uint32_t high;
        bool inter;
        std::uint32_t count;
        auto operator<=>(const Identity&) const = default;
    };

    std::unordered_map<std::vector<std::int32_t>, std::uint32_t, Hash> numbers_;
    std::vector<const std::vector<std::int32_t>*> lists_;
    std::map<Identity, std::uint32_t> communicators_;
};

class Communicators {
  public:
    struct Known {
        std::ptrdiff_t group = -1;       ///< index of its group
        std::uint32_t communicator = 0;  ///< number that it has for all its ranks
    };

    Communicators(MemberLists& lists, std::int32_t world_rank, std::uint32_t world_size);

    /// Returns what is known of a communicator, which stays valid after it is freed. The group is -1 if its
    /// creation was not seen (in a damaged block).
    Known find(std::int32_t comm) const;
    const Group& group(std::ptrdiff_t index) const { return groups_[static_cast<std::size_t>(index)]; }
    /// Takes note of a comm_new or icomm_new.
    void define(const tracefile::Shape& shape);

  private:
    std::uint32_t parent_of(const tracefile::Shape& shape) const;
    void add(std::int32_t comm, std::uint32_t parent, std::span<const std::int32_t> members,
             std::span<const std::int32_t> remote_members, bool inter,
             const std::vector<std::int32_t>& destinations);

    MemberLists& lists_;
    std::int32_t world_rank_;
    std::vector<Group> groups_;
    using Lists = std::pair<std::uint32_t, std::uint32_t>;  ///< own members and remote ones
    std::map<std::pair<std::uint32_t, Lists>, std::uint32_t>
        created_;  ///< how many communicators of a parent were made with these members
    std::map<std::pair<Lists, std::vector<std::int32_t>>, std::size_t> known_;  ///< and with destinations
    std::unordered_map<std::int32_t, Known> index_;
};

}  // namespace linkworth::profile
