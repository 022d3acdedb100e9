// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Locks of windows: requested, granted in the order of the requests, released.
#include <utility>

#include "replay/simulation.hpp"

namespace linkworth::replay {

using tracefile::Shape;

bool Simulation::call_lock(std::uint32_t rank, WindowSide& side, const Shape& shape) {
    if (shape.found && any_order_) throw OrderMatters{Order::calls};
    Actor& actor = ranks_[rank].actor;
    const std::uint32_t index = accesses_.take();
    Access& access = accesses_[index];
    access.kind = AccessKind::lock;
    access.exclusive = shape.found;
    access.window = side.window;
    access.origin = actor.rank;
    access.target_rank = static_cast<std::uint32_t>(shape.peer);
    access.target = ranks_[rank].program->first_rank + side.window->communicator->world_rank(shape.peer);
    access.done = operations_.take();
    const Path& costs = path(node_of(actor.rank) == node_of(access.target));
    actor.now.add_overhead(costs.send_overhead.at(control_bytes));
    operations_[access.done].completion_overhead = costs.receive_overhead.at(control_bytes);
    actor.waiting.push_back(access.done);
    access.at = control_message(actor.rank, access.target, actor.now);
    reach_at_its_time(index);
    return wait_for_operations(ranks_[rank].actor, rank);
}

/// Takes shared locks of all ranks without a message, as in libraries that only request a lock when they
/// must.
bool Simulation::call_lock_all(std::uint32_t rank, Window& window) {
    if (window.exclusive_holders == 0) {
        ++window.all_holders;
        return true;
    }
    const std::uint32_t granted = operations_.take();
    window.waiting_to_all.push_back(granted);
    ranks_[rank].actor.waiting.push_back(granted);
    return wait_for_operations(ranks_[rank].actor, rank);
}

void Simulation::ask_for_lock(std::uint32_t index) {
    Access& access = accesses_[index];
    Window& window = *access.window;
    const std::uint32_t target = access.target_rank;
    window.locks[target].waiting.push_back(index);
    ++window.waiting;
    grant_locks(window, target, access.at);
}

/// Grants the requests that can be granted now, at the time of the change.
void Simulation::grant_locks(Window& window, std::uint32_t target, Stamp since) {
    Lock& lock = window.locks[target];
    while (!lock.waiting.empty()) {
        const std::uint32_t index = lock.waiting.front();
        Access& access = accesses_[index];
        const bool free = access.exclusive ? lock.shared == 0 && window.all_holders == 0 : true;
        if (lock.exclusive || !free) return;
        if (access.exclusive) {
            lock.exclusive = true;
            ++window.exclusive_holders;
        } else {
            ++lock.shared;
        }
        lock.waiting.pop_front();
        --window.waiting;
        access.at.raise_to(since);
        const std::uint32_t done = access.done;
        const Stamp known = control_message(access.target, access.origin, access.at);
        accesses_.release(index);
        finish(done, known);
    }
}

/// Releases the lock of `target`, or all locks if it is `none`.
void Simulation::release_lock(std::uint32_t seat, std::uint32_t target) {
    Actor& actor = ranks_[seat].actor;
    Window& window = *ranks_[seat].unlocking;
    if (target == none) {
        if (window.all_holders > 0) --window.all_holders;
        for (std::uint32_t rank = 0; window.waiting > 0 && rank < window.locks.size(); ++rank)
            grant_locks(window, rank, actor.now);
        return;
    }
    const std::uint32_t index = accesses_.take();
    Access& access = accesses_[index];
    access.kind = AccessKind::unlock;
    access.window = &window;
    access.origin = actor.rank;
    access.target_rank = target;
    access.target = ranks_[actor.rank].program->first_rank +
                    window.communicator->world_rank(static_cast<std::int32_t>(target));
    const Path& costs = path(node_of(actor.rank) == node_of(access.target));
    actor.now.add_overhead(costs.send_overhead.at(control_bytes));
    access.at = control_message(actor.rank, access.target, actor.now);
    reach_at_its_time(index);
}

void Simulation::give_back_lock(std::uint32_t index) {
    const Access& access = accesses_[index];
    Window& window = *access.window;
    const std::uint32_t target = access.target_rank;
    const Stamp at = access.at;
    accesses_.release(index);
    Lock& lock = window.locks[target];
    if (lock.exclusive) {
        lock.exclusive = false;
        --window.exclusive_holders;
    } else if (lock.shared > 0) {
        --lock.shared;
    }
    grant_locks(window, target, at);
    if (window.exclusive_holders > 0) return;
    const auto waiting = std::exchange(window.waiting_to_all, {});
    for (const std::uint32_t granted : waiting) {
        ++window.all_holders;
        finish(granted, at);
    }
}

}  // namespace linkworth::replay
