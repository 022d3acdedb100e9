// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Rooted collectives: binomial and linear trees.
#include <algorithm>
#include <bit>
#include <utility>

#include "replay/collectives/algorithms.hpp"

namespace linkworth::replay::collectives {
namespace {

Rank relative(Rank rank, Rank root, Rank size) { return (rank + size - root) % size; }
Rank absolute(Rank relative_rank, Rank root, Rank size) { return (relative_rank + root) % size; }

/// Distance to the parent in a binomial tree over relative ranks; for the root, the least power of two that
/// covers all ranks.
Rank parent_distance(Rank relative_rank, Rank size) {
    return relative_rank == 0 ? std::bit_ceil(size) : relative_rank & (~relative_rank + 1);
}

/// Ranks of the subtree whose root is `relative_rank` and whose parent is `distance` away.
Rank subtree(Rank relative_rank, Rank distance, Rank size) {
    return std::min(distance, size - relative_rank);
}

}  // namespace

Schedule bcast_binomial(Rank me, Rank size, Rank root, Bytes bytes) {
    const Rank mine = relative(me, root, size);
    const Rank distance = parent_distance(mine, size);
    if (mine != 0) {
        co_yield receive_from(absolute(mine - distance, root, size), bytes);
        co_yield wait_all();
    }
    for (Rank step = distance / 2; step > 0; step /= 2)
        if (mine + step < size) co_yield send_to(absolute(mine + step, root, size), bytes);
    co_yield wait_all();
}

Schedule scatter_binomial(Rank me, Rank size, Rank root, Bytes piece) {
    const Rank mine = relative(me, root, size);
    const Rank distance = parent_distance(mine, size);
    if (mine != 0) {
        co_yield receive_from(absolute(mine - distance, root, size), piece * subtree(mine, distance, size));
        co_yield wait_all();
    }
    for (Rank step = distance / 2; step > 0; step /= 2)
        if (mine + step < size)
            co_yield send_to(absolute(mine + step, root, size), piece * subtree(mine + step, step, size));
    co_yield wait_all();
}

Schedule gather_binomial(Rank me, Rank size, Rank root, Bytes piece) {
    const Rank mine = relative(me, root, size);
    const Rank distance = parent_distance(mine, size);
    for (Rank step = 1; step < distance; step *= 2) {
        if (mine + step >= size) break;
        co_yield receive_from(absolute(mine + step, root, size), piece * subtree(mine + step, step, size));
        co_yield wait_all();
    }
    if (mine != 0) {
        co_yield send_to(absolute(mine - distance, root, size), piece * subtree(mine, distance, size));
        co_yield wait_all();
    }
}

Schedule reduce_binomial(Rank me, Rank size, Rank root, Bytes bytes) {
    const Rank mine = relative(me, root, size);
    const Rank distance = parent_distance(mine, size);
    for (Rank step = 1; step < distance; step *= 2) {
        if (mine + step >= size) break;
        co_yield receive_from(absolute(mine + step, root, size), bytes);
        co_yield wait_all();
    }
    if (mine != 0) {
        co_yield send_to(absolute(mine - distance, root, size), bytes);
        co_yield wait_all();
    }
}

Schedule gather_linear(Rank me, Rank size, Rank root, Bytes own, Counts counts) {
    if (me != root) {
        co_yield send_to(root, own);
    } else {
        for (Rank peer = 0; peer < size; ++peer)
            if (peer != root) co_yield receive_from(peer, counts.empty() ? own : counts[peer]);
    }
    co_yield wait_all();
}

Schedule scatter_linear(Rank me, Rank size, Rank root, Bytes own, Counts counts) {
    if (me != root) {
        co_yield receive_from(root, own);
    } else {
        for (Rank peer = 0; peer < size; ++peer)
            if (peer != root) co_yield send_to(peer, counts.empty() ? own : counts[peer]);
    }
    co_yield wait_all();
}

Schedule bcast_scatter_allgather(Rank me, Rank size, Rank root, Bytes bytes, bool ring) {
    const Bytes piece = (bytes + size - 1) / size;
    const Rank mine = relative(me, root, size);
    const auto bytes_of = [&](Rank first, Rank ranks) {
        const Bytes begin = std::min<Bytes>(bytes, piece * first);
        return std::min<Bytes>(bytes, piece * (first + ranks)) - begin;
    };

    const Rank distance = parent_distance(mine, size);
    if (mine != 0) {
        co_yield receive_from(absolute(mine - distance, root, size),
                              bytes_of(mine, subtree(mine, distance, size)));
        co_yield wait_all();
    }
    for (Rank step = distance / 2; step > 0; step /= 2)
        if (mine + step < size)
            co_yield send_to(absolute(mine + step, root, size),
                             bytes_of(mine + step, subtree(mine + step, step, size)));
    co_yield wait_all();

    if (ring) {
        const Rank right = absolute((mine + 1) % size, root, size);
        const Rank left = absolute((mine + size - 1) % size, root, size);
        for (Rank step = 0; step + 1 < size; ++step) {
            co_yield receive_from(left, bytes_of((mine + size - step - 1) % size, 1));
            co_yield send_to(right, bytes_of((mine + size - step) % size, 1));
            co_yield wait_all();
        }
    } else {
        for (Rank step = 1; step < size; step *= 2) {
            const Rank partner = mine ^ step;
            co_yield receive_from(absolute(partner, root, size), bytes_of(partner & ~(step - 1), step));
            co_yield send_to(absolute(partner, root, size), bytes_of(mine & ~(step - 1), step));
            co_yield wait_all();
        }
    }
}

}  // namespace linkworth::replay::collectives
