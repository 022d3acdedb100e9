// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/collective_messages.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace linkworth::profile {
namespace {

using tracefile::Collective;
using tracefile::Shape;

void to_all_others(const Group& group, std::uint64_t bytes, const SendMessage& send) {
    for (std::int32_t peer = 0; peer < group.size(); ++peer) {
        if (peer != group.own_rank) {
            send(peer, bytes);
        }
    }
}

void by_list(const std::vector<std::uint64_t>& bytes, const Group& group, const SendMessage& send) {
    for (std::size_t peer = 0; peer < bytes.size(); ++peer) {
        if (std::cmp_not_equal(peer, group.own_rank) && bytes[peer] > 0) {
            send(static_cast<std::int32_t>(peer), bytes[peer]);
        }
    }
}

void to_neighbour(std::int32_t neighbour, std::uint64_t bytes, const Group& group, const SendMessage& send) {
    if (neighbour >= 0 && neighbour < group.size() && neighbour != group.own_rank) {
        send(neighbour, bytes);
    }
}

// Ranks are numbered from the root; the parent of a rank is the rank with its lowest bit cleared.
std::int32_t from_root(const Group& group, std::int32_t root) {
    return (group.own_rank - root + group.size()) % group.size();
}

void to_tree_children(const Group& group, std::int32_t root, std::uint64_t bytes, const SendMessage& send) {
    const std::int32_t own = from_root(group, root);
    for (std::int64_t bit = 1; bit < group.size() && (own & bit) == 0; bit *= 2) {
        const std::int64_t child = own + bit;
        if (child < group.size()) {
            send(static_cast<std::int32_t>((child + root) % group.size()), bytes);
        }
    }
}

void to_tree_parent(const Group& group, std::int32_t root, std::uint64_t bytes, const SendMessage& send) {
    const std::int32_t own = from_root(group, root);
    if (own != 0) {
        send(((own & (own - 1)) + root) % group.size(), bytes);
    }
}

void dissemination(const Group& group, const SendMessage& send) {
    for (std::int64_t distance = 1; distance < group.size(); distance *= 2) {
        send(static_cast<std::int32_t>((group.own_rank + distance) % group.size()), 0);
    }
}

// The ranks beyond the largest power of two give their vector to a partner below it and get the result back.
void recursive_doubling(const Group& group, std::uint64_t bytes, const SendMessage& send) {
    const auto power = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(group.size())));
    const std::int32_t own = group.own_rank;
    if (own >= power) {
        send(own - power, bytes);
        return;
    }
    for (std::int32_t distance = 1; distance < power; distance *= 2) {
        send(own ^ distance, bytes);
    }
    if (own + power < group.size()) {
        send(own + power, bytes);
    }
}

void ring_of_pieces(const std::vector<std::uint64_t>& pieces, const Group& group, const SendMessage& send) {
    const std::int32_t right = (group.own_rank + 1) % group.size();
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
        if (std::cmp_not_equal(piece, right) && pieces[piece] > 0) {
            send(right, pieces[piece]);
        }
    }
}

}  // namespace

bool is_uniform(Collective collective) {
    switch (collective) {
        case Collective::scatterv:
        case Collective::allgatherv:
        case Collective::alltoallv:
        case Collective::alltoallw:
        case Collective::reduce_scatter:
        case Collective::neighbor_allgather:
        case Collective::neighbor_allgatherv:
        case Collective::neighbor_alltoall:
        case Collective::neighbor_alltoallv:
        case Collective::neighbor_alltoallw:
            return false;
        default:
            return true;
    }
}

bool is_global(Collective collective) {
    switch (collective) {
        case Collective::allgather:
        case Collective::allgatherv:
        case Collective::alltoall:
        case Collective::alltoallv:
        case Collective::alltoallw:
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block:
            return true;
        default:
            return false;
    }
}

void uniform_messages(const UniformCollective& call, const Group& group, const SendMessage& send) {
    const std::int32_t last = group.size() - 1;
    const bool rooted = call.root >= 0 && call.root <= last;
    switch (call.collective) {
        case Collective::barrier:
            dissemination(group, send);
            break;
        case Collective::bcast:
            if (rooted) {
                to_tree_children(group, call.root, call.bytes, send);
            }
            break;
        case Collective::reduce:
            if (rooted) {
                to_tree_parent(group, call.root, call.bytes, send);
            }
            break;
        case Collective::gather:
        case Collective::gatherv:
            if (rooted && group.own_rank != call.root) {
                send(call.root, call.bytes);
            }
            break;
        case Collective::scatter:
            if (group.own_rank == call.root) {
                to_all_others(group, call.bytes, send);
            }
            break;
        case Collective::allgather:
            for (std::int32_t step = 0; step < last; ++step) {
                send((group.own_rank + 1) % group.size(), call.bytes);
            }
            break;
        case Collective::alltoall:
            to_all_others(group, call.bytes, send);
            break;
        case Collective::allreduce:
            recursive_doubling(group, call.bytes, send);
            break;
        case Collective::reduce_scatter_block:
            to_all_others(group, call.bytes / static_cast<std::uint64_t>(group.size()), send);
            break;
        case Collective::scan:
        case Collective::exscan:
            if (group.own_rank < last) {
                send(group.own_rank + 1, call.bytes);
            }
            break;
        default:
            break;
    }
}

void listed_messages(const Shape& shape, const Group& group, const SendMessage& send) {
    switch (shape.collective) {
        case Collective::scatterv:
            if (group.own_rank == shape.peer) {
                by_list(shape.send_counts, group, send);
            }
            break;
        case Collective::allgatherv:
            ring_of_pieces(shape.recv_counts, group, send);
            break;
        case Collective::alltoallv:
        case Collective::alltoallw:
            by_list(shape.send_counts, group, send);
            break;
        case Collective::reduce_scatter:
            by_list(shape.recv_counts, group, send);
            break;
        case Collective::neighbor_allgather:
        case Collective::neighbor_allgatherv:
        case Collective::neighbor_alltoall:
            for (const std::int32_t neighbour : group.destinations) {
                to_neighbour(neighbour, shape.bytes, group, send);
            }
            break;
        case Collective::neighbor_alltoallv:
        case Collective::neighbor_alltoallw:
            for (std::size_t at = 0; at < std::min(group.destinations.size(), shape.send_counts.size());
                 ++at) {
                to_neighbour(group.destinations[at], shape.send_counts[at], group, send);
            }
            break;
        default:
            break;
    }
}

// Rank 0 of each group represents it. Data for each rank of the other group goes straight to that rank.
void messages_between_groups(const UniformCollective& call, const Shape* lists, const Group& group,
                             const SendMessage& send) {
    constexpr std::int32_t mpi_root = -3;
    Group local;
    local.members = group.members;
    local.own_rank = group.own_rank;
    const auto within = [&](Collective collective, std::uint64_t each) {
        uniform_messages({collective, 0, each}, local, [&](std::int32_t peer, std::uint64_t bytes) {
            send(local.world_rank(peer), bytes);
        });
    };
    const auto across = [&](std::int32_t peer, std::uint64_t bytes) {
        if (const std::int32_t to = group.world_rank(peer); to >= 0) send(to, bytes);
    };
    const auto to_each = [&](bool of_list) {
        const auto others = static_cast<std::int32_t>(group.remote_members.size());
        for (std::int32_t peer = 0; peer < others; ++peer) {
            const auto at = static_cast<std::size_t>(peer);
            if (!of_list) {
                across(peer, call.bytes);
            } else if (lists != nullptr && at < lists->send_counts.size()) {
                across(peer, lists->send_counts[at]);
            }
        }
    };
    const bool leads = group.own_rank == 0;
    const bool is_root = call.root == mpi_root;
    const bool in_other_group = call.root >= 0;
    switch (call.collective) {
        case Collective::bcast:
            if (is_root) across(0, call.bytes);
            if (in_other_group) within(Collective::bcast, call.bytes);
            break;
        case Collective::reduce:
            if (in_other_group) within(Collective::reduce, call.bytes);
            if (in_other_group && leads) across(call.root, call.bytes);
            break;
        case Collective::gather:
        case Collective::gatherv:
            if (in_other_group) across(call.root, call.bytes);
            break;
        case Collective::scatter:
        case Collective::scatterv:
            if (is_root) to_each(call.collective == Collective::scatterv);
            break;
        case Collective::allgather:
        case Collective::allgatherv:
        case Collective::alltoall:
            to_each(false);
            break;
        case Collective::alltoallv:
        case Collective::alltoallw:
            to_each(true);
            break;
        case Collective::barrier:
        case Collective::allreduce:
            within(Collective::reduce, call.bytes);
            if (leads) across(0, call.bytes);
            within(Collective::bcast, call.bytes);
            break;
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block:
            within(Collective::reduce, call.bytes);
            if (leads) across(0, call.bytes);
            within(Collective::scatter, call.bytes / group.members.size());
            break;
        default:
            break;
    }
}

}  // namespace linkworth::profile
