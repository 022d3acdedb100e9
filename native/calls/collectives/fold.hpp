// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "calls/collectives/types.hpp"
#include "calls/schedule.hpp"

namespace linkworth::replay::collectives {

/// If P is not a power of two, the first 2 x (P - 2^k) ranks fold in pairs, so that 2^k ranks remain (Thakur
/// et al., 2005).
struct Fold {
    Rank power;   ///< largest power of two <= P
    Rank folded;  ///< P - power
    Rank stays;   ///< which of a pair remains: 1 the odd one, 0 the even one
    bool idle;    ///< this rank gave its data away
    Rank mine;    ///< rank among the `power` ranks that remain

    Fold(Rank me, Rank size, Rank which_stays = 1)
        : power(std::bit_floor(size)), folded(size - power), stays(which_stays), idle(false), mine(0) {
        if (me < 2 * folded) {
            idle = me % 2 != stays;
            mine = me / 2;
        } else {
            mine = me - folded;
        }
    }
    Rank original(Rank remaining) const {
        return remaining < folded ? remaining * 2 + stays : remaining + folded;
    }
    bool paired(Rank remaining) const { return remaining < folded; }
    /// First original rank that the remaining ranks from `remaining` on represent.
    Rank first_of(Rank remaining) const { return remaining < folded ? remaining * 2 : remaining + folded; }
    /// Bytes that `count` remaining ranks from `first` on represent.
    Bytes bytes(const Pieces& pieces, Rank first, Rank count) const {
        return pieces.sum(first_of(first), first_of(first + count) - first_of(first));
    }
};

/// The idle one of a pair gives its vector to the other one, which combines both.
inline Schedule fold_in(Rank me, bool idle, Bytes bytes) {
    co_yield idle ? send_to(me ^ 1U, bytes) : receive_from(me ^ 1U, bytes);
    co_yield wait_all();
    if (!idle) co_yield combine(bytes);
}

/// The idle one of a pair gets its part of the result from the other one.
inline Schedule fold_out(Rank me, bool idle, Bytes bytes) {
    co_yield idle ? receive_from(me ^ 1U, bytes) : send_to(me ^ 1U, bytes);
    co_yield wait_all();
}

}  // namespace linkworth::replay::collectives
