// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/expansion.hpp"

#include <memory>
#include <stdexcept>

#include "calls/collectives/algorithms.hpp"
#include "calls/collectives/build.hpp"
#include "calls/collectives/intergroup.hpp"

namespace linkworth::replay {

using tracefile::CallClass;
using tracefile::Shape;

namespace collectives {
namespace {

constexpr std::int32_t mpi_root = -3;
constexpr Bytes constructor_bytes = 8;
/// No rank has so much memory. Cut into segments, more would keep the replay of a damaged trace busy for
/// ever.
constexpr Bytes most_bytes = Bytes{1} << 40;

void check(Bytes bytes) {
    if (bytes > most_bytes) throw std::invalid_argument("a collective of more bytes than any memory holds");
}

const Counts* fitting(const Counts& counts, Rank size) {
    if (counts.size() != size) throw std::invalid_argument("per-peer counts do not fit the communicator");
    for (const Bytes bytes : counts) check(bytes);
    return &counts;
}

/// Returns the parts of the operation that do not depend on the kind of communicator. Lists of counts have
/// `peers` entries.
Operation common(const Shape& shape, Rank me, Rank size, Rank peers, bool at_root) {
    check(shape.bytes);
    check(shape.recv_bytes);
    Operation operation;
    operation.what = shape.collective;
    operation.nonblocking = shape.call_class != CallClass::collective;
    operation.me = me;
    operation.size = size;
    operation.bytes = shape.bytes;
    operation.element = shape.element_bytes;
    switch (shape.collective) {
        case Collective::gatherv:
            operation.own = shape.bytes;
            operation.bytes = 0;
            if (at_root) operation.receives = fitting(shape.recv_counts, peers);
            break;
        case Collective::scatterv:
            operation.own = shape.recv_bytes;
            operation.bytes = 0;
            if (at_root) operation.sends = fitting(shape.send_counts, peers);
            break;
        case Collective::allgatherv:
            operation.own = shape.bytes;
            operation.bytes = 0;
            operation.receives = fitting(shape.recv_counts, peers);
            break;
        case Collective::alltoallv:
        case Collective::alltoallw:
            operation.bytes = 0;
            operation.sends = fitting(shape.send_counts, peers);
            operation.receives = fitting(shape.recv_counts, peers);
            break;
        case Collective::reduce_scatter: operation.receives = fitting(shape.recv_counts, size); break;
        case Collective::neighbor_allgather:
        case Collective::neighbor_allgatherv:
        case Collective::neighbor_alltoall:
        case Collective::neighbor_alltoallv:
        case Collective::neighbor_alltoallw:
        case Collective::none:
            throw std::invalid_argument("the call is no collective that the replay models");
        default: break;
    }
    return operation;
}

/// The agreement that a constructor needs: an all-reduce of a few bytes.
Schedule constructor_schedule(Rank me, Rank size) {
    return allreduce_recursive_doubling(me, size, constructor_bytes);
}

Schedule schedule_of(const Rules& rules, const Shape& shape, Rank me, Rank size, const Topology* topology) {
    const Rank root = shape.peer < 0 ? 0 : static_cast<Rank>(shape.peer);
    if (root >= size) throw std::invalid_argument("the root is not a rank of the communicator");
    Operation operation = common(shape, me, size, size, me == root);
    operation.root = root;
    operation.topology = topology;
    if (shape.collective == Collective::gather && me == root) operation.bytes = shape.recv_bytes;
    if (shape.collective == Collective::scatter && me != root) operation.bytes = shape.recv_bytes;
    return build(rules, operation);
}

Schedule schedule_between(const Rules& rules, const Shape& shape, Rank me, const Sides& sides) {
    const auto here = static_cast<Rank>(sides.local.size());
    const auto there = static_cast<Rank>(sides.remote.size());
    const bool at_root = shape.peer == mpi_root;
    Operation operation = common(shape, me, here, there, at_root);
    const Part part = at_root                              ? Part::is_root
                      : shape.peer == tracefile::proc_null ? Part::idle
                                                           : Part::towards_remote;
    if (shape.peer >= 0) operation.root = static_cast<Rank>(shape.peer);
    if (operation.root >= there) throw std::invalid_argument("the root is not a rank of the remote group");
    return build_between_groups(rules, operation, part, sides, shape.recv_bytes);
}

}  // namespace
}  // namespace collectives

Schedule expand(const collectives::Rules& rules, const tracefile::Shape& call, const Membership& member,
                const std::vector<std::uint32_t>& node_of_rank) {
    const Communicator& communicator = *member.communicator;
    if (!tracefile::is_collective(call.call_class))
        return collectives::constructor_schedule(member.my_rank, communicator.size());
    if (collectives::is_neighborhood(call.collective)) {
        if (member.neighbours == nullptr) throw std::invalid_argument("a communicator without neighbours");
        return collectives::neighborhood_schedule(call, *member.neighbours, communicator.size());
    }
    if (communicator.inter)
        return collectives::schedule_between(rules, call, member.my_rank, communicator.sides);
    if (communicator.topology == nullptr && !node_of_rank.empty())
        communicator.topology =
            std::make_unique<const collectives::Topology>(communicator.members, node_of_rank);
    return collectives::schedule_of(rules, call, member.my_rank, communicator.size(),
                                    communicator.topology.get());
}

Membership ground_of(const Membership& member) {
    const Communicator& communicator = *member.communicator;
    if (!communicator.inter) return member;
    return {communicator.both, communicator.offset + member.my_rank, member.collectives};
}

}  // namespace linkworth::replay
