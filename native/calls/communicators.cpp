// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/communicators.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace linkworth::replay {
namespace {

constexpr std::int32_t self = 1;

/// Parent of communicators whose members do not agree on one.
constexpr std::uint32_t no_parent = UINT32_MAX;

/// Numbers of a rank's communicators rise one by one; only damage to the trace makes them jump.
constexpr std::size_t most_lost_numbers = 1 << 20;

std::uint64_t key_of(const std::vector<std::int32_t>& members) {
    std::uint64_t key = members.size();
    for (const std::int32_t member : members) key = mixed(key, static_cast<std::uint32_t>(member));
    return key;
}

/// Key of the communicators that are made from `parent` with these groups.
std::uint64_t key_of(const Communicator* parent, const tracefile::Shape& made) {
    std::uint64_t key = key_of(made.members);
    if (made.inter) {
        const std::uint64_t remote = key_of(made.remote_members);
        key = mixed(std::min(key, remote), std::max(key, remote));
    }
    return parent == nullptr ? key : mixed(parent->key, key);
}

}  // namespace

Communicators::Communicators(std::uint32_t ranks) : by_rank_(ranks) {
    // The world is shared, not defined rank by rank: with P ranks that would cost P x P.
    tracefile::Shape whole;
    whole.members.resize(ranks);
    std::iota(whole.members.begin(), whole.members.end(), 0);
    auto& [origin, family] = *families_.try_emplace(Origin{no_parent, whole.members, {}}).first;
    family.instances.push_back(std::make_unique<Communicator>());
    Communicator& everyone = *family.instances.front();
    everyone.context = next_context_++;
    everyone.key = mixed(key_of(nullptr, whole), 0);
    everyone.members = origin.members;
    tracefile::Shape own;
    own.new_comm = own.comm = self;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        by_rank_[rank].of_world = Membership{&everyone, rank, 0};
        family.count_by_rank[rank] = 1;
        own.members = {static_cast<std::int32_t>(rank)};
        define(rank, own);
    }
}

void Communicators::check(const std::vector<std::int32_t>& members) const {
    for (const std::int32_t member : members)
        if (member < 0 || static_cast<std::size_t>(member) >= by_rank_.size())
            throw std::invalid_argument("a communicator with a rank that is not in the world");
}

/// Returns null if the members do not agree on a parent. The two groups make an inter-communicator from
/// different communicators, and MPI_COMM_SELF represents no parent at all.
const Communicator* Communicators::parent_of(std::uint32_t rank, const tracefile::Shape& made) {
    if (made.comm == self) return nullptr;
    const Membership* parent = find(rank, made.comm);
    if (parent == nullptr || (made.inter && !parent->communicator->inter)) return nullptr;
    return parent->communicator;
}

Membership& Communicators::define(std::uint32_t rank, const tracefile::Shape& made) {
    check(made.members);
    check(made.remote_members);
    const auto place = std::ranges::find(made.members, static_cast<std::int32_t>(rank));
    const auto slot = static_cast<std::size_t>(static_cast<std::uint32_t>(made.new_comm));
    std::vector<Membership>& further = by_rank_[rank].further;
    if (made.new_comm < 0 || slot > further.size() + 1 + most_lost_numbers || place == made.members.end())
        throw std::invalid_argument("a communicator that its rank cannot have");
    const Communicator* const parent = parent_of(rank, made);
    const std::uint32_t context = parent == nullptr ? no_parent : parent->context;
    // An inter-communicator has the same two groups seen from both sides.
    const bool swapped = made.inter && made.remote_members < made.members;
    const auto& first = swapped ? made.remote_members : made.members;
    const auto& second = swapped ? made.members : made.remote_members;
    auto& [origin, family] = *families_.try_emplace(Origin{context, first, second}).first;
    const std::size_t ordinal = family.count_by_rank[rank]++;
    const std::size_t sides = made.inter ? 2 : 1;
    while (family.instances.size() < (ordinal + 1) * sides) {
        const std::uint64_t key = mixed(key_of(parent, made), family.instances.size() / sides);
        // Messages between the two sides match.
        const std::uint32_t shared = next_context_++;
        for (std::size_t side = 0; side < sides; ++side) {
            Communicator& communicator = *family.instances.emplace_back(std::make_unique<Communicator>());
            communicator.context = shared;
            communicator.key = key;
            communicator.members = side == 0 ? origin.members : origin.remote;
            communicator.remote = side == 0 ? origin.remote : origin.members;
            communicator.inter = made.inter;
        }
        if (made.inter) unite(family);
    }
    Membership member;
    member.communicator = family.instances[ordinal * sides + (swapped ? 1 : 0)].get();
    member.my_rank = static_cast<std::uint32_t>(place - made.members.begin());
    if (made.has_topology) {
        neighbours_.push_back({made.sources, made.destinations});
        member.neighbours = &neighbours_.back();
    }
    if (slot > further.size()) further.resize(slot);
    return (slot == world ? by_rank_[rank].of_world : further[slot - 1]) = member;
}

/// Gives the two sides of the newest inter-communicator the union of their groups.
void Communicators::unite(Family& family) {
    Communicator& first = *family.instances[family.instances.size() - 2];
    Communicator& second = *family.instances.back();
    if (family.everyone.empty()) {
        family.everyone.assign(first.members.begin(), first.members.end());
        family.everyone.insert(family.everyone.end(), second.members.begin(), second.members.end());
    }
    Communicator& both = *family.unions.emplace_back(std::make_unique<Communicator>());
    both.context = next_context_++;
    both.members = family.everyone;
    std::vector<collectives::Rank> lower(first.members.size());
    std::vector<collectives::Rank> upper(second.members.size());
    std::iota(lower.begin(), lower.end(), collectives::Rank{0});
    std::iota(upper.begin(), upper.end(), first.size());
    first.both = second.both = &both;
    second.offset = first.size();
    first.sides = {lower, upper};
    second.sides = {std::move(upper), std::move(lower)};
}

const Communicator* Communicators::duplicate(const Communicator& original) {
    Communicator& made = *duplicates_.emplace_back(std::make_unique<Communicator>());
    made.context = next_context_++;
    made.members = original.members;
    return &made;
}

void Communicators::forget(std::uint32_t rank, std::int32_t number) {
    if (Membership* gone = find(rank, number)) *gone = Membership{};
}

}  // namespace linkworth::replay
