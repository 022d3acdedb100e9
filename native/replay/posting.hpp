// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Posting a receive: short, and done for every message.
#pragma once

#include <cstdint>

#include "replay/simulation.hpp"

namespace linkworth::replay {

inline std::uint32_t context_of(const Membership& membership, bool collective) {
    return membership.communicator->context * 2 + (collective ? 1 : 0);
}

inline std::uint32_t Simulation::post_receive(Actor& actor, const Membership& membership, bool collective,
                                              std::int32_t peer, std::int32_t tag) {
    if (peer == tracefile::proc_null) return none;
    if (early_ && peer == tracefile::any_source) throw OrderMatters{Order::time};
    const std::uint32_t index = operations_.take_unset();
    Operation& operation = operations_[index];
    operation.done_at = actor.now;
    operation.completion_overhead = 0;
    operation.actor = none;
    operation.envelope = Envelope{context_of(membership, collective), peer, tag};
    operation.is_receive = true;
    operation.done = operation.detached = operation.to_itself = false;
    const std::uint32_t message = ranks_[actor.rank].matcher.post(operation.envelope, index);
    if (message == none) return index;
    Message& found = messages_[message];
    operation.to_itself = found.to_itself();
    if (early_ && !any_order_ && found.rendezvous && found.at.seconds > actor.now.seconds) {
        found.receive = index;
        queue_.push(found.at.seconds, Happening::envelope, message);
    } else {
        meet(message, index, &actor);
    }
    return index;
}

}  // namespace linkworth::replay
