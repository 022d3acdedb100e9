// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "calls/collectives/algorithms.hpp"

namespace linkworth::replay::collectives {

Schedule allgather_recursive_doubling(Rank me, Pieces pieces) {
    for (Rank step = 1; step < pieces.ranks(); step *= 2) {
        const Rank partner = me ^ step;
        co_yield receive_from(partner, pieces.sum(partner & ~(step - 1), step));
        co_yield send_to(partner, pieces.sum(me & ~(step - 1), step));
        co_yield wait_all();
    }
}

Schedule allgather_bruck(Rank me, Pieces pieces) {
    const Rank size = pieces.ranks();
    for (Rank step = 1; step < size; step *= 2) {
        const Rank count = std::min(step, size - step);
        const Rank from = (me + step) % size;
        co_yield receive_from(from, pieces.sum(from, count));
        co_yield send_to((me + size - step) % size, pieces.sum(me, count));
        co_yield wait_all();
    }
    // The pieces come in the order of the ranks after this one.
    if (me > 0) co_yield pack(2, pieces.sum(0, size));
}

Schedule allgather_ring(Rank me, Pieces pieces) {
    const Rank size = pieces.ranks();
    const Rank right = (me + 1) % size;
    const Rank left = (me + size - 1) % size;
    for (Rank step = 0; step + 1 < size; ++step) {
        co_yield receive_from(left, pieces[(me + size - step - 1) % size]);
        co_yield send_to(right, pieces[(me + size - step) % size]);
        co_yield wait_all();
    }
}

Schedule allgather_neighbor_exchange(Rank me, Pieces pieces) {
    const Rank size = pieces.ranks();
    const bool even = me % 2 == 0;
    const Rank right = (me + 1) % size;
    const Rank left = (me + size - 1) % size;
    const Rank first_partner = even ? right : left;
    co_yield receive_from(first_partner, pieces[first_partner]);
    co_yield send_to(first_partner, pieces[me]);
    co_yield wait_all();
    // Blocks are numbered by the even rank of their pair. At step s the newest pair goes to the other side.
    Rank newest = even ? me : left;
    for (Rank step = 1; step < size / 2; ++step) {
        const bool to_left = even == (step % 2 == 1);
        const Rank partner = to_left ? left : right;
        // From the left come pairs further and further to the left, from the right pairs further to the
        // right.
        const Rank own_pair = even ? me : left;
        const Rank distance = 2 * ((step + 1) / 2);
        const Rank incoming = to_left ? (own_pair + size - distance) % size : (own_pair + distance) % size;
        co_yield receive_from(partner, pieces.sum(incoming, 2));
        co_yield send_to(partner, pieces.sum(newest, 2));
        co_yield wait_all();
        newest = incoming;
    }
}

}  // namespace linkworth::replay::collectives
