// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "calls/collectives/algorithms.hpp"

namespace linkworth::replay::collectives {

Schedule barrier_dissemination(Rank me, Rank size) {
    for (Rank step = 1; step < size; step *= 2) {
        co_yield receive_from((me + size - step) % size, 0);
        co_yield send_to((me + step) % size, 0);
        co_yield wait_all();
    }
}

Schedule barrier_recursive_doubling(Rank me, Rank size) {
    const Rank power = std::bit_floor(size);
    if (me >= power) {
        co_yield receive_from(me - power, 0);
        co_yield send_to(me - power, 0);
        co_yield wait_all();
        co_return;
    }
    const bool releases = me + power < size;
    if (releases) {
        co_yield receive_from(me + power, 0);
        co_yield wait_all();
    }
    for (Rank step = 1; step < power; step *= 2) {
        co_yield receive_from(me ^ step, 0);
        co_yield send_to(me ^ step, 0);
        co_yield wait_all();
    }
    if (releases) {
        co_yield send_to(me + power, 0);
        co_yield wait_all();
    }
}

Schedule barrier_double_ring(Rank me, Rank size) {
    if (size == 1) co_return;
    const Rank left = (me + size - 1) % size;
    const Rank right = (me + 1) % size;
    for (int round = 0; round < 2; ++round) {
        if (me != 0) {
            co_yield receive_from(left, 0);
            co_yield wait_all();
        }
        co_yield send_to(right, 0);
        if (me == 0) co_yield receive_from(left, 0);
        co_yield wait_all();
    }
}

Schedule barrier_linear(Rank me, Rank size) {
    if (me != 0) {
        co_yield send_to(0, 0);
        co_yield wait_all();
        co_yield receive_from(0, 0);
        co_yield wait_all();
        co_return;
    }
    for (Rank peer = 1; peer < size; ++peer) co_yield receive_from(peer, 0);
    co_yield wait_all();
    for (Rank peer = 1; peer < size; ++peer) co_yield send_to(peer, 0);
    co_yield wait_all();
}

Schedule barrier_tree(Rank me, Rank size) {
    const Tree tree = tree_of(TreeShape::binomial, me, size, 0);
    for (const Rank child : tree.children) {
        co_yield receive_from(child, 0);
        co_yield wait_all();
    }
    if (tree.parent) {
        co_yield send_to(*tree.parent, 0);
        co_yield receive_from(*tree.parent, 0);
        co_yield wait_all();
    }
    for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
        co_yield send_to(*child, 0);
    co_yield wait_all();
}

}  // namespace linkworth::replay::collectives
