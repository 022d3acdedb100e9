// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/collectives/rabenseifner.hpp"

#include <array>
#include <limits>

#include "calls/collectives/fold.hpp"

namespace linkworth::replay::collectives {
namespace {

constexpr std::size_t most_rounds = std::numeric_limits<Rank>::digits;

/// Returns the halves of a vector. The lower one is the shorter one if the number of elements is odd.
Pieces halves_of(Bytes bytes, Bytes element) {
    const Bytes unit = std::max<Bytes>(element, 1);
    const Bytes lower = bytes / unit / 2 * unit;
    return Pieces::listed({lower, bytes - lower});
}

/// The even rank reduces the lower half and gets the upper one from the odd rank.
Schedule fold_by_halves(Rank me, bool idle, Pieces halves) {
    const Rank partner = idle ? me - 1 : me + 1;
    const Rank kept = idle ? 1 : 0;
    co_yield receive_from(partner, halves[kept]);
    co_yield send_to(partner, halves[1 - kept]);
    co_yield wait_all();
    co_yield combine(halves[kept]);
    if (idle)
        co_yield send_to(partner, halves[1]);
    else
        co_yield receive_from(partner, halves[1]);
    co_yield wait_all();
}

}  // namespace

Schedule halving_then_collect(Rank me, Rank size, Bytes bytes, Bytes element, std::optional<Rank> root,
                              bool by_halves) {
    // MPICH keeps the odd rank of a pair in an all-reduce and the even one in a reduction.
    const Rank stays = by_halves || root ? 0 : 1;
    const Fold fold(me, size, stays);
    const Fold root_fold(root.value_or(0), size, stays);
    // Labels are chosen so that the root's is 0.
    const Rank root_label = root ? root_fold.mine : 0;
    const Rank label = fold.mine ^ root_label;
    const Pieces pieces = Pieces::split(bytes, fold.power, element);
    const auto rank_of = [&](Rank other) { return fold.original(other ^ root_label); };

    Step step;
    if (me < 2 * fold.folded) {
        Schedule folding = by_halves ? fold_by_halves(me, fold.idle, halves_of(bytes, element))
                                     : fold_in(me, fold.idle, bytes);
        while (folding.next(step)) co_yield step;
    }
    if (!fold.idle) {
        const Bytes unit = std::max<Bytes>(element, 1);
        Rank first = 0;
        Bytes window = bytes / unit;                     // elements of the own range
        std::array<Bytes, most_rounds> given{}, kept{};  // bytes by round
        std::size_t round = 0;
        for (Rank distance = 1, half = fold.power / 2; half > 0; distance *= 2, half /= 2, ++round) {
            const Rank partner = rank_of(label ^ distance);
            const bool upper = (label & distance) != 0;
            // Open MPI halves the range that is left, MPICH the blocks of all.
            const Bytes lower_bytes = by_halves ? window / 2 * unit : pieces.sum(first, half);
            const Bytes upper_bytes =
                by_halves ? (window - window / 2) * unit : pieces.sum(first + half, half);
            kept[round] = upper ? upper_bytes : lower_bytes;
            given[round] = upper ? lower_bytes : upper_bytes;
            co_yield receive_from(partner, kept[round]);
            co_yield send_to(partner, given[round]);
            co_yield wait_all();
            co_yield combine(kept[round]);
            window = kept[round] / unit;
            if (upper) first += half;
        }
        for (Rank distance = fold.power / 2; distance > 0; distance /= 2) {
            --round;
            const Rank partner = rank_of(label ^ distance);
            const bool upper = (label & distance) != 0;
            if (!root || !upper) co_yield receive_from(partner, given[round]);
            if (!root || upper) co_yield send_to(partner, kept[round]);
            co_yield wait_all();
            if (root && upper) break;
        }
    }
    // Who folded gets the result from its partner; of a reduction only a root that folded.
    const bool unfolds =
        root ? root_fold.idle && me / 2 == *root / 2 && me < 2 * fold.folded : me < 2 * fold.folded;
    if (unfolds)
        for (Schedule taking = fold_out(me, fold.idle, bytes); taking.next(step);) co_yield step;
}

}  // namespace linkworth::replay::collectives
