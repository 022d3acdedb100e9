// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/collectives/algorithms.hpp"
#include "calls/collectives/rabenseifner.hpp"

namespace linkworth::replay::collectives {

Schedule reduce_tree(Tree tree, Bytes bytes, Bytes segment) {
    const Segments segments{bytes, segment};
    const Bytes count = segments.count();
    const std::size_t children = tree.children.size();
    if (children > 0) co_yield receive_from(tree.children[0], segments[0]);
    for (Bytes index = 0; index < count; ++index) {
        for (std::size_t child = 0; child < children; ++child) {
            // The next vector is awaited while this one is combined.
            if (child + 1 < children)
                co_yield receive_ahead(tree.children[child + 1], segments[index]);
            else if (index + 1 < count)
                co_yield receive_ahead(tree.children[0], segments[index + 1]);
            co_yield wait_all();
            co_yield combine(segments[index]);
        }
        if (tree.parent) {
            co_yield send_to(*tree.parent, segments[index]);
            if (children == 0) co_yield wait_all();
        }
    }
    co_yield wait_all();
}

Schedule reduce_in_order_binary(Rank me, Rank size, Rank root, Bytes bytes, Bytes segment) {
    Schedule up = reduce_tree(tree_of(TreeShape::in_order_binary, me, size, root), bytes, segment);
    for (Step step; up.next(step);) co_yield step;
    if (root == size - 1) co_return;
    if (me == size - 1) co_yield send_to(root, bytes);
    if (me == root) co_yield receive_from(size - 1, bytes);
    co_yield wait_all();
}

Schedule reduce_linear(Rank me, Rank size, Rank root, Bytes bytes) {
    if (me != root) {
        co_yield send_to(root, bytes);
        co_yield wait_all();
        co_return;
    }
    for (Rank left = size; left > 0; --left) {
        if (left - 1 == root) continue;
        co_yield receive_from(left - 1, bytes);
        co_yield wait_all();
        co_yield combine(bytes);
    }
}

Schedule reduce_scatter_gather(Rank me, Rank size, Rank root, Bytes bytes, Bytes element, bool by_halves) {
    return halving_then_collect(me, size, bytes, element, root, by_halves);
}

}  // namespace linkworth::replay::collectives
