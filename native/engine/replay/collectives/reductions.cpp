// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Collectives that combine data: all-reduce, reduce to a root of large vectors, reduce-scatter, scan.
#include <algorithm>
#include <bit>
#include <optional>

#include "replay/collectives/algorithms.hpp"

namespace linkworth::replay::collectives {
namespace {

/// Where P is no power of two, the first 2 x (P - 2^k) ranks fold in pairs, so that 2^k ranks remain (Thakur
/// et al., 2005).
struct Fold {
    Rank power;   ///< largest power of two <= P
    Rank folded;  ///< P - power
    bool idle;    ///< this rank gave its data away
    Rank mine;    ///< rank among the `power` ranks that remain

    Fold(Rank me, Rank size) : power(std::bit_floor(size)), folded(size - power), idle(false), mine(0) {
        if (me < 2 * folded) {
            idle = me % 2 == 0;
            mine = me / 2;
        } else {
            mine = me - folded;
        }
    }
    Rank original(Rank remaining) const {
        return remaining < folded ? remaining * 2 + 1 : remaining + folded;
    }
};

Bytes slice(Bytes total, Rank parts, Rank first, Rank count) {
    const auto edge = [&](Rank index) {
        return total / parts * index + std::min<Bytes>(index, total % parts);
    };
    return edge(first + count) - edge(first);
}

/// Rabenseifner: reduce-scatter by recursive halving; then the pieces go to all ranks by recursive doubling,
/// or to `root` up a binomial tree. Labels are chosen so that the root's is 0.
Schedule halving_then_collect(Rank me, Rank size, Bytes bytes, std::optional<Rank> root) {
    const Fold fold(me, size);
    const Fold root_fold(root.value_or(0), size);
    const Rank root_label = root ? root_fold.mine : 0;
    const Rank label = fold.mine ^ root_label;
    const auto rank_of = [&](Rank other) { return fold.original(other ^ root_label); };

    if (me < 2 * fold.folded) {
        co_yield fold.idle ? send_to(me + 1, bytes) : receive_from(me - 1, bytes);
        co_yield wait_all();
    }
    if (!fold.idle) {
        Rank first = 0;
        for (Rank half = fold.power / 2; half > 0; half /= 2) {
            const Rank partner = rank_of(label ^ half);
            const bool upper = (label & half) != 0;
            const Rank kept = upper ? first + half : first;
            const Rank given = upper ? first : first + half;
            co_yield receive_from(partner, slice(bytes, fold.power, kept, half));
            co_yield send_to(partner, slice(bytes, fold.power, given, half));
            co_yield wait_all();
            first = kept;
        }
        for (Rank step = 1; step < fold.power; step *= 2) {
            if (!root) {
                const Rank partner = label ^ step;
                co_yield receive_from(rank_of(partner),
                                      slice(bytes, fold.power, partner & ~(step - 1), step));
                co_yield send_to(rank_of(partner), slice(bytes, fold.power, label & ~(step - 1), step));
                co_yield wait_all();
            } else if ((label & step) != 0) {
                co_yield send_to(rank_of(label - step), slice(bytes, fold.power, label, step));
                co_yield wait_all();
                break;
            } else {
                co_yield receive_from(rank_of(label + step), slice(bytes, fold.power, label + step, step));
                co_yield wait_all();
            }
        }
    }
    const bool unfold = root ? root_fold.idle && (me == *root || me == *root + 1) : me < 2 * fold.folded;
    if (unfold) {
        co_yield fold.idle ? receive_from(me + 1, bytes) : send_to(me - 1, bytes);
        co_yield wait_all();
    }
}

}  // namespace

Schedule allreduce_recursive_doubling(Rank me, Rank size, Bytes bytes) {
    const Fold fold(me, size);
    if (me < 2 * fold.folded) {
        co_yield fold.idle ? send_to(me + 1, bytes) : receive_from(me - 1, bytes);
        co_yield wait_all();
    }
    if (!fold.idle) {
        for (Rank step = 1; step < fold.power; step *= 2) {
            const Rank partner = fold.original(fold.mine ^ step);
            co_yield receive_from(partner, bytes);
            co_yield send_to(partner, bytes);
            co_yield wait_all();
        }
    }
    if (me < 2 * fold.folded) {
        co_yield fold.idle ? receive_from(me + 1, bytes) : send_to(me - 1, bytes);
        co_yield wait_all();
    }
}

Schedule allreduce_rabenseifner(Rank me, Rank size, Bytes bytes) {
    return halving_then_collect(me, size, bytes, std::nullopt);
}

Schedule reduce_scatter_gather(Rank me, Rank size, Rank root, Bytes bytes) {
    return halving_then_collect(me, size, bytes, root);
}

Schedule reduce_scatter_pairwise(Rank me, Rank size, Counts counts) {
    for (Rank step = 1; step < size; ++step) {
        const Rank to = (me + step) % size;
        const Rank from = (me + size - step) % size;
        co_yield receive_from(from, counts[me]);
        co_yield send_to(to, counts[to]);
        co_yield wait_all();
    }
}

Schedule reduce_scatter_halving(Rank me, Rank size, Bytes total) {
    const Fold fold(me, size);
    if (me < 2 * fold.folded) {
        co_yield fold.idle ? send_to(me + 1, total) : receive_from(me - 1, total);
        co_yield wait_all();
    }
    if (!fold.idle) {
        Bytes part = total;
        for (Rank step = fold.power / 2; step > 0; step /= 2) {
            part /= 2;
            const Rank partner = fold.original(fold.mine ^ step);
            co_yield receive_from(partner, part);
            co_yield send_to(partner, part);
            co_yield wait_all();
        }
    }
    if (me < 2 * fold.folded) {
        const Bytes piece = total / size;
        co_yield fold.idle ? receive_from(me + 1, piece) : send_to(me - 1, piece);
        co_yield wait_all();
    }
}

Schedule scan_recursive_doubling(Rank me, Rank size, Bytes bytes) {
    for (Rank step = 1; step < size; step *= 2) {
        const Rank partner = me ^ step;
        if (partner >= size) continue;
        co_yield receive_from(partner, bytes);
        co_yield send_to(partner, bytes);
        co_yield wait_all();
    }
}

}  // namespace linkworth::replay::collectives
