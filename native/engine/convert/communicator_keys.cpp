// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/communicator_keys.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace linkworth::convert {
namespace {

using tracefile::CallClass;
using Members = std::vector<std::int32_t>;

std::uint64_t key_of(const Members& members) {
    std::uint64_t key = members.size();
    for (const std::int32_t member : members) key = mixed(key, static_cast<std::uint32_t>(member));
    return key;
}

}  // namespace

GroupStore::GroupStore(std::uint32_t ranks) : world_(ranks) { std::iota(world_.begin(), world_.end(), 0); }

const Members* GroupStore::keep(const Members& members) {
    if (members == world_) return &world_;
    auto& same_key = kept_[key_of(members)];
    const auto found =
        std::find_if(same_key.begin(), same_key.end(), [&](const auto& kept) { return *kept == members; });
    if (found != same_key.end()) return found->get();
    same_key.push_back(std::make_unique<const Members>(members));
    return same_key.back().get();
}

CommunicatorKeys::CommunicatorKeys(GroupStore& store, std::uint32_t rank) : store_(store) {
    tracefile::Shape world;
    world.members = *store.world();
    define(0, world);
    tracefile::Shape self;
    self.comm = 1;
    self.members = {static_cast<std::int32_t>(rank)};
    define(1, self);
}

void CommunicatorKeys::take(const tracefile::Shape& shape) {
    if (shape.call_class == CallClass::comm_free) {
        by_number_.erase(shape.comm);
    } else if (shape.call_class == CallClass::comm_new || shape.call_class == CallClass::icomm_new) {
        if (shape.new_comm >= 0) define(shape.new_comm, shape);
    }
}

void CommunicatorKeys::define(std::int32_t number, const tracefile::Shape& shape) {
    std::uint64_t groups = key_of(shape.members);
    if (shape.inter) {
        // Both sides have the same two groups, each its own first.
        const auto [lower, upper] = std::minmax(groups, key_of(shape.remote_members));
        groups = mixed(lower, upper);
    }
    // The two groups of a new inter-communicator have no common parent, and MPI_COMM_SELF means none.
    const KeyedCommunicator* parent = shape.comm == 1 ? nullptr : find(shape.comm);
    if (parent != nullptr && (parent->inter || !shape.inter)) groups = mixed(parent->key, groups);
    const std::uint64_t ordinal = made_[groups]++;
    by_number_[number] = {mixed(groups, ordinal), shape.inter,
                          store_.keep(shape.inter ? shape.remote_members : shape.members)};
}

const KeyedCommunicator* CommunicatorKeys::find(std::int32_t number) const {
    const auto found = by_number_.find(number);
    return found == by_number_.end() ? nullptr : &found->second;
}

}  // namespace linkworth::convert
