// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/communicators.hpp"

#include <algorithm>
#include <numeric>

namespace linkworth::profile {
namespace {

constexpr std::uint32_t no_list = UINT32_MAX;

}  // namespace

std::int32_t Group::world_rank(std::int32_t peer) const {
    const std::span<const std::int32_t> peers = inter ? remote_members : members;
    if (peer < 0 || static_cast<std::size_t>(peer) >= peers.size()) {
        return -1;
    }
    return peers[static_cast<std::size_t>(peer)];
}

std::size_t MemberLists::Hash::operator()(const std::vector<std::int32_t>& list) const {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
    std::uint64_t hash = list.size();
    for (const std::int32_t member : list) {
        hash = (hash ^ static_cast<std::uint32_t>(member)) * odd;
        hash ^= hash >> 32;
    }
    return hash;
}

MemberLists::MemberLists(std::uint32_t world_size) {
    std::vector<std::int32_t> world(world_size);
    std::iota(world.begin(), world.end(), 0);
    number(world);
}

std::uint32_t MemberLists::number(std::span<const std::int32_t> members) {
    const auto [place, is_new] =
        numbers_.try_emplace({members.begin(), members.end()}, static_cast<std::uint32_t>(lists_.size()));
    if (is_new) {
        lists_.push_back(&place->first);
    }
    return place->second;
}

std::uint32_t MemberLists::communicator(std::uint32_t parent, std::uint32_t members,
                                        std::uint32_t remote_members, bool inter, std::uint32_t count) {
    const auto [low, high] = std::minmax(members, inter ? remote_members : members);
    return communicators_
        .try_emplace({parent, low, high, inter, count}, static_cast<std::uint32_t>(communicators_.size()))
        .first->second;
}

Communicators::Communicators(MemberLists& lists, std::int32_t world_rank, std::uint32_t world_size)
    : lists_(lists), world_rank_(world_rank) {
    std::vector<std::int32_t> world(world_size);
    std::iota(world.begin(), world.end(), 0);
    add(0, MemberLists::no_parent, world, {}, false, {});
    add(1, MemberLists::no_parent, std::span(&world_rank_, 1), {}, false, {});
}

Communicators::Known Communicators::find(std::int32_t comm) const {
    const auto found = index_.find(comm);
    return found == index_.end() ? Known{} : found->second;
}

void Communicators::define(const tracefile::Shape& shape) {
    if (shape.new_comm >= 0) {
        add(shape.new_comm, parent_of(shape), shape.members, shape.remote_members, shape.inter,
            shape.destinations);
    }
}

// The two groups make an inter-communicator from different communicators, and MPI_COMM_SELF (number 1)
// represents no parent at all.
std::uint32_t Communicators::parent_of(const tracefile::Shape& shape) const {
    const Known parent = find(shape.comm);
    if (shape.comm == 1 || parent.group < 0 || (shape.inter && !group(parent.group).inter))
        return MemberLists::no_parent;
    return parent.communicator;
}

void Communicators::add(std::int32_t comm, std::uint32_t parent, std::span<const std::int32_t> members,
                        std::span<const std::int32_t> remote_members, bool inter,
                        const std::vector<std::int32_t>& destinations) {
    const auto own = std::ranges::find(members, world_rank_);
    if (own == members.end()) {
        return;
    }
    const std::uint32_t list = lists_.number(members);
    const std::uint32_t remote = inter ? lists_.number(remote_members) : no_list;
    // Programs that make and free the same communicator again and again need one group only.
    const auto [place, is_new] = known_.try_emplace({{list, remote}, destinations}, groups_.size());
    if (is_new) {
        Group group;
        group.members = lists_.members(list);
        if (inter) {
            group.remote_members = lists_.members(remote);
        }
        group.destinations = destinations;
        group.inter = inter;
        group.own_rank = static_cast<std::int32_t>(own - members.begin());
        groups_.push_back(group);
    }
    const std::uint32_t count = created_[{parent, {list, remote}}]++;
    index_[comm] = {static_cast<std::ptrdiff_t>(place->second),
                    lists_.communicator(parent, list, remote, inter, count)};
}

}  // namespace linkworth::profile
