// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The messages that a collective call is made of, for the replay, the profile and the converters.
#pragma once

#include <cstdint>
#include <vector>

#include "calls/collectives/operation.hpp"
#include "calls/communicators.hpp"
#include "calls/event.hpp"
#include "calls/schedule.hpp"

namespace linkworth::replay {

/// Returns the steps of a member in a collective call; the making of a communicator or a window is one, too.
/// `node_of_rank`: the node of each rank of the world; if empty, all ranks are as if on one level. The rules
/// and the communicator must outlive the steps. Throws std::invalid_argument for a call that cannot be.
Schedule expand(const collectives::Rules& rules, const tracefile::Shape& call, const Membership& member,
                const std::vector<std::uint32_t>& node_of_rank);

/// Returns the member's place among the ranks that the steps name: those of the communicator, or of the union
/// of an inter-communicator's groups.
Membership ground_of(const Membership& member);

/// Calls `take(peer, bytes)` for each message that the steps send.
template <class Take>
void each_send(Schedule steps, const Take& take) {
    Step step;
    while (steps.next(step)) {
        if (step.kind == StepKind::send) take(step.peer, step.bytes);
        if (step.kind == StepKind::start) each_send(steps.take_started(), take);
    }
}

}  // namespace linkworth::replay
