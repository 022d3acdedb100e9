// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/windows.hpp"

#include <stdexcept>

namespace linkworth::replay {
namespace {

/// Synchronisation by MPI_Win_post and MPI_Win_complete takes the numbers below, fences those from here on.
constexpr std::uint32_t first_collective = 2;

}  // namespace

WindowSide* Windows::find(std::uint32_t rank, std::int32_t number) {
    const auto found = by_rank_[rank].find(number);
    return found == by_rank_[rank].end() ? nullptr : &found->second;
}

WindowSide& Windows::define(std::uint32_t rank, std::int32_t number, const Membership& on,
                            Communicators& communicators) {
    if (number < 0 || on.communicator->inter)
        throw std::invalid_argument("a window that its rank cannot have");
    Family& family = families_[on.communicator];
    const std::size_t ordinal = family.count_by_rank[rank]++;
    while (family.instances.size() <= ordinal) {
        auto made = std::make_unique<Window>();
        made->communicator = communicators.duplicate(*on.communicator);
        made->locks.resize(on.communicator->size());
        family.instances.push_back(std::move(made));
    }
    WindowSide side;
    side.window = family.instances[ordinal].get();
    side.membership = {side.window->communicator, on.my_rank, first_collective, nullptr};
    return by_rank_[rank].insert_or_assign(number, std::move(side)).first->second;
}

void Windows::forget(std::uint32_t rank, std::int32_t number) { by_rank_[rank].erase(number); }

}  // namespace linkworth::replay
