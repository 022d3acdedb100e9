// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "calls/collectives/algorithms.hpp"
#include "calls/collectives/fold.hpp"

namespace linkworth::replay::collectives {
namespace {

/// Each remaining rank keeps half of the blocks, then half of those, and so on. The partners are as far as
/// the half, or, `rising`, ever farther.
Schedule halve(const Pieces& pieces, const Fold& fold, bool rising) {
    Rank first = 0;
    for (Rank distance = 1, half = fold.power / 2; half > 0; distance *= 2, half /= 2) {
        const Rank apart = rising ? distance : half;
        const Rank partner = fold.original(fold.mine ^ apart);
        const bool upper = (fold.mine & apart) != 0;
        const Rank kept = upper ? first + half : first;
        const Rank given = upper ? first : first + half;
        co_yield receive_from(partner, fold.bytes(pieces, kept, half));
        co_yield send_to(partner, fold.bytes(pieces, given, half));
        co_yield wait_all();
        co_yield combine(fold.bytes(pieces, kept, half));
        first = kept;
    }
}

}  // namespace

Schedule reduce_scatter_pairwise(Rank me, Pieces pieces) {
    const Rank size = pieces.ranks();
    for (Rank step = 1; step < size; ++step) {
        const Rank to = (me + step) % size;
        const Rank from = (me + size - step) % size;
        co_yield receive_from(from, pieces[me]);
        co_yield send_to(to, pieces[to]);
        co_yield wait_all();
        co_yield combine(pieces[me]);
    }
}

Schedule reduce_scatter_halving(Rank me, Pieces pieces) {
    const Rank size = pieces.ranks();
    const Fold fold(me, size);
    Step step;
    const Bytes total = pieces.total();
    if (me < 2 * fold.folded)
        for (Schedule giving = fold_in(me, fold.idle, total); giving.next(step);) co_yield step;
    if (!fold.idle)
        for (Schedule halving = halve(pieces, fold, false); halving.next(step);) co_yield step;
    if (me < 2 * fold.folded)
        for (Schedule taking = fold_out(me, fold.idle, pieces[me & ~1U]); taking.next(step);) co_yield step;
}

Schedule reduce_scatter_ring(Rank me, Pieces pieces) {
    const Rank size = pieces.ranks();
    if (size == 1) co_return;
    const Rank right = (me + 1) % size;
    const Rank left = (me + size - 1) % size;
    for (Rank step = 1; step < size; ++step) {
        const Rank incoming = (me + 2 * size - step - 1) % size;
        co_yield receive_from(left, pieces[incoming]);
        co_yield send_to(right, pieces[(me + size - step) % size]);
        co_yield wait_all();
        co_yield combine(pieces[incoming]);
    }
}

Schedule reduce_scatter_butterfly(Rank me, Pieces pieces, bool permuted) {
    const Rank size = pieces.ranks();
    const Fold fold(me, size);
    Step step;
    const Bytes total = pieces.total();
    if (me < 2 * fold.folded)
        for (Schedule giving = fold_in(me, fold.idle, total); giving.next(step);) co_yield step;
    const int rounds = std::countr_zero(fold.power);
    // After the rounds, the remaining rank r has the blocks of the rank whose bits are r's reversed.
    const auto mirrored = [&](Rank rank) {
        Rank reversed = 0;
        for (int bit = 0; bit < rounds; ++bit) reversed |= ((rank >> bit) & 1U) << (rounds - 1 - bit);
        return reversed;
    };
    if (!fold.idle)
        for (Schedule halving = halve(pieces, fold, true); halving.next(step);) co_yield step;
    if (permuted && fold.folded == 0) co_return;
    const Rank holder = fold.original(mirrored(fold.mine));
    if (holder != me) co_yield receive_from(holder, pieces[me]);
    if (!fold.idle) {
        const Rank block = mirrored(fold.mine);
        const Rank owner = fold.original(block);
        if (owner != me) co_yield send_to(owner, pieces[owner]);
        if (fold.paired(block)) co_yield send_to(owner - 1, pieces[owner - 1]);
    }
    co_yield wait_all();
}

Schedule reduce_scatter_doubling(Rank me, Pieces pieces) {
    const Rank size = pieces.ranks();
    const Fold fold(me, size);
    Step step;
    const Bytes total = pieces.total();
    if (me < 2 * fold.folded)
        for (Schedule giving = fold_in(me, fold.idle, total); giving.next(step);) co_yield step;
    if (!fold.idle) {
        for (Rank distance = 1; distance < fold.power; distance *= 2) {
            const Rank other = fold.mine ^ distance;
            const Rank partner = fold.original(other);
            const Bytes wanted = total - fold.bytes(pieces, other & ~(distance - 1), distance);
            const Bytes given = total - fold.bytes(pieces, fold.mine & ~(distance - 1), distance);
            co_yield receive_from(partner, wanted);
            co_yield send_to(partner, given);
            co_yield wait_all();
            co_yield combine(wanted);
        }
    }
    if (me < 2 * fold.folded)
        for (Schedule taking = fold_out(me, fold.idle, pieces[me & ~1U]); taking.next(step);) co_yield step;
}

}  // namespace linkworth::replay::collectives
