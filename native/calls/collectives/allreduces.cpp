// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "calls/collectives/algorithms.hpp"
#include "calls/collectives/fold.hpp"
#include "calls/collectives/rabenseifner.hpp"

namespace linkworth::replay::collectives {

Schedule allreduce_recursive_doubling(Rank me, Rank size, Bytes bytes) {
    const Fold fold(me, size);
    Step step;
    if (me < 2 * fold.folded)
        for (Schedule giving = fold_in(me, fold.idle, bytes); giving.next(step);) co_yield step;
    if (!fold.idle) {
        for (Rank distance = 1; distance < fold.power; distance *= 2) {
            const Rank partner = fold.original(fold.mine ^ distance);
            co_yield receive_from(partner, bytes);
            co_yield send_to(partner, bytes);
            co_yield wait_all();
            co_yield combine(bytes);
        }
    }
    if (me < 2 * fold.folded)
        for (Schedule taking = fold_out(me, fold.idle, bytes); taking.next(step);) co_yield step;
}

Schedule allreduce_rabenseifner(Rank me, Rank size, Bytes bytes, Bytes element, bool by_halves) {
    return halving_then_collect(me, size, bytes, element, std::nullopt, by_halves);
}

Schedule allreduce_ring(Rank me, Rank size, Bytes bytes, Bytes element, Bytes segment) {
    if (size == 1) co_return;
    const Pieces blocks = Pieces::split(bytes, size, element);
    const Rank right = (me + 1) % size;
    const Rank left = (me + size - 1) % size;
    // Blocks differ by one element at most, but they must have the same number of segments.
    const Bytes rounds = Segments{blocks[0], segment}.count();
    const auto part = [&](Rank block, Bytes round) {
        return rounds == 1 ? blocks[block]
                           : Pieces::split(blocks[block], static_cast<Rank>(rounds),
                                           element)[static_cast<Rank>(round)];
    };
    for (Bytes round = 0; round < rounds; ++round) {
        for (Rank step = 0; step + 1 < size; ++step) {
            const Rank incoming = (me + 2 * size - step - 1) % size;
            co_yield receive_from(left, part(incoming, round));
            co_yield send_to(right, part((me + size - step) % size, round));
            co_yield wait_all();
            co_yield combine(part(incoming, round));
        }
    }
    for (Rank step = 0; step + 1 < size; ++step) {
        co_yield receive_from(left, blocks[(me + size - step) % size]);
        co_yield send_to(right, blocks[(me + 1 + size - step) % size]);
        co_yield wait_all();
    }
}

}  // namespace linkworth::replay::collectives
