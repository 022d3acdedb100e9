// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "calls/collectives/algorithms.hpp"

namespace linkworth::replay::collectives {

Schedule bcast_tree(Tree tree, Bytes bytes, Bytes segment, bool blocking_sends) {
    const Segments segments{bytes, segment};
    const Bytes count = segments.count();
    if (tree.parent) co_yield receive_from(*tree.parent, segments[0]);
    for (Bytes index = 0; index < count; ++index) {
        if (tree.parent) {
            if (index + 1 < count) co_yield receive_ahead(*tree.parent, segments[index + 1]);
            co_yield wait_all();
        }
        for (const Rank child : tree.children) {
            co_yield send_to(child, segments[index]);
            if (blocking_sends) co_yield wait_all();
        }
        if (!tree.parent) co_yield wait_all();
    }
    co_yield wait_all();
}

Schedule bcast_split_binary(Rank me, Rank size, Rank root, Bytes bytes, Bytes segment) {
    const Tree tree = tree_of(TreeShape::binary, me, size, root, 2);
    const Rank mine = relative(me, root, size);
    const std::array<Segments, 2> halves = {Segments{bytes - bytes / 2, segment},
                                            Segments{bytes / 2, segment}};
    if (mine == 0) {
        for (Bytes index = 0; index < halves[0].count(); ++index) {
            for (std::size_t side = 0; side < tree.children.size(); ++side)
                if (index < halves[side].count()) co_yield send_to(tree.children[side], halves[side][index]);
            co_yield wait_all();
        }
    } else {
        // Odd positions are on the side of the first half, even ones on the other: Open MPI's numbering.
        Tree half = tree;
        const Segments& own = halves[mine % 2 == 1 ? 0 : 1];
        Schedule down = bcast_tree(std::move(half), own.bytes, segment, false);
        for (Step step; down.next(step);) co_yield step;
    }
    // If the first side has one rank more than the other, the partner of its last rank is the root.
    const bool first_side = mine % 2 == 1;
    if (mine == 0) {
        if (size % 2 == 0) co_yield send_to(absolute(size - 1, root, size), halves[1].bytes);
    } else {
        const Rank other = first_side ? (mine + 1 < size ? mine + 1 : 0) : mine - 1;
        const Rank partner = absolute(other, root, size);
        co_yield receive_from(partner, halves[first_side ? 1 : 0].bytes);
        if (other != 0) co_yield send_to(partner, halves[first_side ? 0 : 1].bytes);
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
    for (Rank step = distance / 2; step > 0; step /= 2) {
        if (mine + step >= size) continue;
        co_yield send_to(absolute(mine + step, root, size),
                         bytes_of(mine + step, subtree(mine + step, step, size)));
        co_yield wait_all();
    }

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
