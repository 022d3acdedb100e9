// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/collectives/trees.hpp"

#include <algorithm>
#include <bit>

namespace linkworth::replay::collectives {
namespace {

Tree linear(Rank me, Rank size) {
    Tree tree;
    if (me != 0) {
        tree.parent = 0;
        return tree;
    }
    for (Rank child = 1; child < size; ++child) tree.children.push_back(child);
    return tree;
}

Tree chain(Rank me, Rank size, Rank fanout) {
    Tree tree;
    if (size < 2) return tree;
    const Rank chains = std::clamp<Rank>(fanout, 1, size - 1);
    const Rank longer = (size - 1) % chains;  // this many chains have one rank more
    const Rank shortest = (size - 1) / chains;
    Rank head = 1;
    for (Rank index = 0; index < chains; ++index) {
        const Rank length = shortest + (index < longer ? 1 : 0);
        if (me == 0) tree.children.push_back(head);
        if (me >= head && me < head + length) {
            tree.parent = me == head ? 0 : me - 1;
            if (me + 1 < head + length) tree.children.push_back(me + 1);
        }
        head += length;
    }
    return tree;
}

Tree level_by_level(Rank me, Rank size, Rank fanout) {
    Rank width = 1;  // ranks on my level
    Rank above = 0;  // ranks on the levels above
    while (above + width <= me) {
        above += width;
        width *= fanout;
    }
    Tree tree;
    for (Rank child = 1; child <= fanout && me + width * child < size; ++child)
        tree.children.push_back(me + width * child);
    if (me == 0) return tree;
    const Rank width_above = width / fanout;
    Rank parent = me;
    while (parent >= above) parent -= width_above;
    tree.parent = parent;
    return tree;
}

Tree binomial(Rank me, Rank size, bool nearest_first) {
    Tree tree;
    const Rank distance = parent_distance(me, size);
    if (me != 0) tree.parent = me - distance;
    for (Rank step = 1; step < distance; step *= 2)
        if (me + step < size) tree.children.push_back(me + step);
    if (!nearest_first) std::reverse(tree.children.begin(), tree.children.end());
    return tree;
}

Tree binomial_doubling(Rank me, Rank size) {
    Tree tree;
    if (me != 0) tree.parent = me - std::bit_floor(me);
    for (Rank step = me == 0 ? 1 : std::bit_floor(me) * 2; me + step < size; step *= 2)
        tree.children.push_back(me + step);
    return tree;
}

Tree knomial(Rank me, Rank size, Rank radix) {
    Tree tree;
    Rank distance = 1;
    while (distance < size) {
        if (me % (distance * radix) != 0) {
            tree.parent = me - me % (distance * radix);
            break;
        }
        distance *= radix;
    }
    for (Rank step = distance / radix; step > 0; step /= radix)
        for (Rank turn = 1; turn < radix && me + step * turn < size; ++turn)
            tree.children.push_back(me + step * turn);
    return tree;
}

/// Ranks [first, first + count) have their root at the end; its left child is the rank before it, its right
/// child ends the lower half.
Tree in_order_binary(Rank me, Rank size) {
    Tree tree;
    Rank first = 0;
    Rank count = size;
    for (;;) {
        const Rank top = first + count - 1;
        const Rank lower = count / 2;
        const std::optional<Rank> left = count > 1 ? std::optional(top - 1) : std::nullopt;
        const std::optional<Rank> right = count > 2 ? std::optional(first + lower - 1) : std::nullopt;
        if (me == top) {
            if (left) tree.children.push_back(*left);
            if (right) tree.children.push_back(*right);
            return tree;
        }
        tree.parent = top;
        if (right && me <= *right) {
            count = lower;
        } else {
            const Rank skipped = right ? lower : 0;
            first += skipped;
            count -= skipped + 1;
        }
    }
}

Tree around_zero(TreeShape shape, Rank me, Rank size, Rank fanout) {
    switch (shape) {
        case TreeShape::linear: return linear(me, size);
        case TreeShape::chain: return chain(me, size, fanout);
        case TreeShape::binary: return level_by_level(me, size, std::max<Rank>(fanout, 2));
        case TreeShape::binomial: return binomial(me, size, true);
        case TreeShape::binomial_far: return binomial(me, size, false);
        case TreeShape::binomial_doubling: return binomial_doubling(me, size);
        case TreeShape::knomial: return knomial(me, size, std::max<Rank>(fanout, 2));
        case TreeShape::in_order_binary: return in_order_binary(me, size);
    }
    return {};
}

}  // namespace

Rank parent_distance(Rank relative_rank, Rank size) {
    return relative_rank == 0 ? std::bit_ceil(size) : relative_rank & (~relative_rank + 1);
}

Tree tree_of(TreeShape shape, Rank me, Rank size, Rank root, Rank fanout) {
    if (shape == TreeShape::in_order_binary) return in_order_binary(me, size);
    Tree tree = around_zero(shape, relative(me, root, size), size, fanout);
    if (tree.parent) tree.parent = absolute(*tree.parent, root, size);
    for (Rank& child : tree.children) child = absolute(child, root, size);
    return tree;
}

}  // namespace linkworth::replay::collectives
