// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The messages that one rank sends in a collective, by one simple algorithm each
/// (docs/reference/profile.md). The profile counts traffic with them; the replay chooses algorithms as MPI
/// libraries do.
#pragma once

#include <cstdint>
#include <functional>

#include "profile/communicators.hpp"
#include "tracefile/event.hpp"

namespace linkworth::profile {

/// Takes a message: rank in the communicator, bytes.
using SendMessage = std::function<void(std::int32_t, std::uint64_t)>;

/// Properties of a collective call that decide its messages if it has no list of counts.
struct UniformCollective {
    tracefile::Collective collective = tracefile::Collective::none;
    std::int32_t root = -1;
    std::uint64_t bytes = 0;

    bool operator==(const UniformCollective&) const = default;
};

/// Returns whether the messages follow from `UniformCollective` alone.
bool is_uniform(tracefile::Collective collective);

/// Returns whether all ranks' data goes to all ranks. Its bytes then grow as the data does and cross every
/// cut of the machine.
bool is_global(tracefile::Collective collective);

void uniform_messages(const UniformCollective& call, const Group& group, const SendMessage& send);
void listed_messages(const tracefile::Shape& shape, const Group& group, const SendMessage& send);
/// The same between the groups of an inter-communicator, for which `send` takes world ranks. `lists`: the
/// call if it has a list of counts, else null.
void messages_between_groups(const UniformCollective& call, const tracefile::Shape* lists, const Group& group,
                             const SendMessage& send);

}  // namespace linkworth::profile
