// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "replay/collectives/types.hpp"

namespace linkworth::replay::collectives {

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
    bool paired(Rank remaining) const { return remaining < folded; }
    /// First original rank whose piece the remaining ranks from `remaining` on stand for.
    Rank first_of(Rank remaining) const { return remaining < folded ? remaining * 2 : remaining + folded; }
    /// Bytes that `count` remaining ranks from `first` on stand for.
    Bytes bytes(const Pieces& pieces, Rank first, Rank count) const {
        return pieces.sum(first_of(first), first_of(first + count) - first_of(first));
    }
};

}  // namespace linkworth::replay::collectives
