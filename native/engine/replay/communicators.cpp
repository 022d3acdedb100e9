// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/communicators.hpp"

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

std::unique_ptr<Communicator> make(const std::vector<std::int32_t>& members,
                                   const std::vector<std::int32_t>& remote, std::uint32_t context,
                                   bool inter) {
    auto made = std::make_unique<Communicator>();
    made->context = context;
    made->members = members;
    made->remote = remote;
    made->inter = inter;
    return made;
}

}  // namespace

Communicators::Communicators(std::uint32_t ranks) : by_rank_(ranks) {
    std::vector<std::int32_t> everyone(ranks);
    std::iota(everyone.begin(), everyone.end(), 0);
    // The world is shared, not defined rank by rank: with P ranks that would cost P x P.
    Family& family = families_[Origin{no_parent, everyone, {}}];
    family.instances.push_back(make(everyone, {}, next_context_++, false));
    tracefile::Shape own;
    own.new_comm = own.comm = self;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        by_rank_[rank].of_world = Membership{family.instances.front().get(), rank, 0};
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

/// The two groups make an inter-communicator from different communicators, and MPI_COMM_SELF represents no
/// parent at all.
std::uint32_t Communicators::parent_of(std::uint32_t rank, const tracefile::Shape& made) {
    if (made.comm == self) return no_parent;
    const Membership* parent = find(rank, made.comm);
    if (parent == nullptr || (made.inter && !parent->communicator->inter)) return no_parent;
    return parent->communicator->context;
}

void Communicators::define(std::uint32_t rank, const tracefile::Shape& made) {
    const std::vector<std::int32_t>& members = made.members;
    const std::vector<std::int32_t>& remote = made.remote_members;
    const std::int32_t number = made.new_comm;
    const bool inter = made.inter;
    check(members);
    check(remote);
    const std::uint32_t parent = parent_of(rank, made);
    // An inter-communicator has the same two groups seen from both sides.
    const bool swapped = inter && remote < members;
    Family& family =
        swapped ? families_[Origin{parent, remote, members}] : families_[Origin{parent, members, remote}];
    const std::size_t ordinal = family.count_by_rank[rank]++;
    const std::size_t sides = inter ? 2 : 1;
    while (family.instances.size() < (ordinal + 1) * sides) {
        const std::uint32_t context = next_context_++;
        const auto& first = swapped ? remote : members;
        const auto& second = swapped ? members : remote;
        family.instances.push_back(make(first, second, context, inter));
        if (inter) {
            family.instances.push_back(make(second, first, context, inter));
            unite(family);
        }
    }
    const Communicator* mine = family.instances[ordinal * sides + (swapped ? 1 : 0)].get();
    const auto place = std::find(mine->members.begin(), mine->members.end(), static_cast<std::int32_t>(rank));
    const auto slot = static_cast<std::size_t>(number);
    std::vector<Membership>& further = by_rank_[rank].further;
    if (number < 0 || slot > further.size() + 1 + most_lost_numbers || place == mine->members.end())
        throw std::invalid_argument("a communicator that its rank cannot have");
    if (slot > further.size()) further.resize(slot);
    (slot == world ? by_rank_[rank].of_world : further[slot - 1]) =
        Membership{mine, static_cast<std::uint32_t>(place - mine->members.begin()), 0};
}

/// Gives the two sides of the newest inter-communicator the union of their groups.
void Communicators::unite(Family& family) {
    Communicator& first = *family.instances[family.instances.size() - 2];
    Communicator& second = *family.instances.back();
    std::vector<std::int32_t> everyone = first.members;
    everyone.insert(everyone.end(), second.members.begin(), second.members.end());
    family.unions.push_back(make(everyone, {}, next_context_++, false));
    std::vector<collectives::Rank> lower(first.members.size());
    std::vector<collectives::Rank> upper(second.members.size());
    std::iota(lower.begin(), lower.end(), collectives::Rank{0});
    std::iota(upper.begin(), upper.end(), first.size());
    first.both = second.both = family.unions.back().get();
    second.offset = first.size();
    first.sides = {lower, upper};
    second.sides = {std::move(upper), std::move(lower)};
}

void Communicators::set_neighbours(std::uint32_t rank, std::int32_t number,
                                   collectives::Neighbours neighbours) {
    Membership* membership = find(rank, number);
    if (membership == nullptr) return;
    neighbours_.push_back(std::move(neighbours));
    membership->neighbours = &neighbours_.back();
}

const Communicator* Communicators::duplicate(const Communicator& original) {
    duplicates_.push_back(make(original.members, {}, next_context_++, false));
    return duplicates_.back().get();
}

void Communicators::forget(std::uint32_t rank, std::int32_t number) {
    if (Membership* gone = find(rank, number)) *gone = Membership{};
}

}  // namespace linkworth::replay
