// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/collectives/rabenseifner.hpp"

#include "replay/collectives/fold.hpp"

namespace linkworth::replay::collectives {

Schedule halving_then_collect(Rank me, Rank size, Bytes bytes, Bytes element, std::optional<Rank> root) {
    const Fold fold(me, size);
    const Fold root_fold(root.value_or(0), size);
    const Rank root_label = root ? root_fold.mine : 0;
    const Rank label = fold.mine ^ root_label;
    const auto rank_of = [&](Rank other) { return fold.original(other ^ root_label); };
    const Pieces pieces = Pieces::split(bytes, fold.power, element);

    if (me < 2 * fold.folded) {
        if (fold.idle) {
            co_yield send_to(me + 1, bytes);
        } else {
            co_yield receive_from(me - 1, bytes);
        }
        co_yield wait_all();
        if (!fold.idle) co_yield combine(bytes);
    }
    if (!fold.idle) {
        Rank first = 0;
        for (Rank half = fold.power / 2; half > 0; half /= 2) {
            const Rank partner = rank_of(label ^ half);
            const bool upper = (label & half) != 0;
            const Rank kept = upper ? first + half : first;
            const Rank given = upper ? first : first + half;
            co_yield receive_from(partner, pieces.sum(kept, half));
            co_yield send_to(partner, pieces.sum(given, half));
            co_yield wait_all();
            co_yield combine(pieces.sum(kept, half));
            first = kept;
        }
        for (Rank step = 1; step < fold.power; step *= 2) {
            if (!root) {
                const Rank partner = label ^ step;
                co_yield receive_from(rank_of(partner), pieces.sum(partner & ~(step - 1), step));
                co_yield send_to(rank_of(partner), pieces.sum(label & ~(step - 1), step));
                co_yield wait_all();
            } else if ((label & step) != 0) {
                co_yield send_to(rank_of(label - step), pieces.sum(label, step));
                co_yield wait_all();
                break;
            } else {
                co_yield receive_from(rank_of(label + step), pieces.sum(label + step, step));
                co_yield wait_all();
            }
        }
    }
    const bool unfold = root ? root_fold.idle && (me == *root || me == *root + 1) : me < 2 * fold.folded;
    if (unfold) {
        if (fold.idle) {
            co_yield receive_from(me + 1, bytes);
        } else {
            co_yield send_to(me - 1, bytes);
        }
        co_yield wait_all();
    }
}

}  // namespace linkworth::replay::collectives
