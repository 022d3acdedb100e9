// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/communicators.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace linkworth::replay {
namespace {

constexpr std::int32_t world = 0;
constexpr std::int32_t self = 1;

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
    Family& family = families_[Groups{everyone, {}}];
    family.instances.push_back(make(everyone, {}, next_context_++, false));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        by_rank_[rank][world] = Membership{family.instances.front().get(), rank, 0};
        family.count_by_rank[rank] = 1;
        define(rank, self, {static_cast<std::int32_t>(rank)}, {}, false);
    }
}

Membership* Communicators::find(std::uint32_t rank, std::int32_t number) {
    const auto found = by_rank_[rank].find(number);
    return found == by_rank_[rank].end() ? nullptr : &found->second;
}

void Communicators::define(std::uint32_t rank, std::int32_t number, const std::vector<std::int32_t>& members,
                           const std::vector<std::int32_t>& remote, bool inter) {
    // An inter-communicator has the same two groups seen from both sides.
    const bool swapped = inter && remote < members;
    Family& family = swapped ? families_[Groups{remote, members}] : families_[Groups{members, remote}];
    const std::size_t ordinal = family.count_by_rank[rank]++;
    const std::size_t sides = inter ? 2 : 1;
    while (family.instances.size() < (ordinal + 1) * sides) {
        const std::uint32_t context = next_context_++;
        const auto& first = swapped ? remote : members;
        const auto& second = swapped ? members : remote;
        family.instances.push_back(make(first, second, context, inter));
        if (inter) family.instances.push_back(make(second, first, context, inter));
    }
    const Communicator* mine = family.instances[ordinal * sides + (swapped ? 1 : 0)].get();
    const auto place = std::find(mine->members.begin(), mine->members.end(), static_cast<std::int32_t>(rank));
    by_rank_[rank][number] = Membership{mine, static_cast<std::uint32_t>(place - mine->members.begin()), 0};
}

void Communicators::forget(std::uint32_t rank, std::int32_t number) { by_rank_[rank].erase(number); }

}  // namespace linkworth::replay
