// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/communicators.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace linkworth::profile {

std::int32_t Group::world_rank(std::int32_t peer) const {
    const std::vector<std::int32_t>& peers = inter ? remote_members : members;
    if (peer < 0 || static_cast<std::size_t>(peer) >= peers.size()) {
        return -1;
    }
    return peers[static_cast<std::size_t>(peer)];
}

Communicators::Communicators(std::int32_t world_rank, std::uint32_t world_size) : world_rank_(world_rank) {
    Group world;
    world.members.resize(world_size);
    std::iota(world.members.begin(), world.members.end(), 0);
    world.own_rank = world_rank;
    Group self;
    self.members = {world_rank};
    groups_ = {std::move(world), std::move(self)};
    index_ = {{0, 0}, {1, 1}};
}

std::ptrdiff_t Communicators::group_of(std::int32_t comm) const {
    const auto found = index_.find(comm);
    return found == index_.end() ? -1 : found->second;
}

void Communicators::define(const tracefile::Shape& shape) {
    if (shape.new_comm < 0) {
        return;
    }
    const auto own = std::ranges::find(shape.members, world_rank_);
    if (own == shape.members.end()) {
        return;
    }
    Group group;
    group.members = shape.members;
    group.remote_members = shape.remote_members;
    group.destinations = shape.destinations;
    group.inter = shape.inter;
    group.own_rank = static_cast<std::int32_t>(own - shape.members.begin());
    // Programs that make and free the same communicator again and again need one group only.
    for (std::size_t known = 0; known < groups_.size(); ++known) {
        const Group& other = groups_[known];
        if (other.inter == group.inter && other.members == group.members &&
            other.remote_members == group.remote_members && other.destinations == group.destinations) {
            index_[shape.new_comm] = static_cast<std::ptrdiff_t>(known);
            return;
        }
    }
    index_[shape.new_comm] = static_cast<std::ptrdiff_t>(groups_.size());
    groups_.push_back(std::move(group));
}

}  // namespace linkworth::profile
