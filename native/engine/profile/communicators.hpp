// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The communicators of one rank while its events are read: their numbers and members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tracefile/event.hpp"

namespace linkworth::profile {

/// A communicator as one of its ranks sees it. Members are world ranks in the communicator's order.
struct Group {
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> remote_members;  ///< of an inter-communicator; messages go to these
    std::vector<std::int32_t> destinations;    ///< neighbours that this rank sends to, in their order
    std::int32_t own_rank = 0;
    bool inter = false;

    std::int32_t size() const { return static_cast<std::int32_t>(members.size()); }
    /// World rank of `peer`; -1 for a wildcard, MPI_PROC_NULL or a rank that is none.
    std::int32_t world_rank(std::int32_t peer) const;
};

class Communicators {
  public:
    Communicators(std::int32_t world_rank, std::uint32_t world_size);

    /// Index of a communicator's group, which stays valid after the communicator is freed; -1 where its
    /// creation was not seen (in a damaged block).
    std::ptrdiff_t group_of(std::int32_t comm) const;
    const Group& group(std::ptrdiff_t index) const { return groups_[static_cast<std::size_t>(index)]; }
    /// Takes note of a comm_new or icomm_new.
    void define(const tracefile::Shape& shape);

  private:
    std::int32_t world_rank_;
    std::vector<Group> groups_;
    std::unordered_map<std::int32_t, std::ptrdiff_t> index_;
};

}  // namespace linkworth::profile
