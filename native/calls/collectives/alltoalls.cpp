// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "calls/collectives/algorithms.hpp"

namespace linkworth::replay::collectives {

/// The pieces are rotated before and after. Each round gathers its pieces into one message, and scatters
/// what it receives. (Bruck and others, IEEE TPDS 8(11), 1997; both libraries use a datatype of blocks.)
Schedule alltoall_bruck(Rank me, Rank size, Bytes piece) {
    if (size > 1) co_yield pack(size, piece * size);
    for (Rank step = 1; step < size; step *= 2) {
        Rank pieces = 0;
        for (Rank index = 1; index < size; ++index)
            if ((index & step) != 0) ++pieces;
        co_yield receive_from((me + size - step) % size, piece * pieces);
        co_yield datatype();
        co_yield pack(pieces, piece * pieces);
        co_yield send_to((me + step) % size, piece * pieces);
        co_yield wait_all();
        co_yield pack(pieces, piece * pieces);
    }
    if (size > 1) co_yield pack(size, piece * size);
}

Schedule alltoall_linear(Rank me, Rank size, Bytes piece, Rank window) {
    co_yield pack(1, piece);
    const Rank at_once = window == 0 ? size : window;
    for (Rank first = 1; first < size; first += at_once) {
        const Rank end = std::min(size, first + at_once);
        for (Rank step = first; step < end; ++step) co_yield receive_from((me + step) % size, piece);
        for (Rank step = first; step < end; ++step) co_yield send_to((me + size - step) % size, piece);
        co_yield wait_all();
    }
}

Schedule alltoall_pairwise(Rank me, Rank size, Bytes piece, bool exclusive_or) {
    co_yield pack(1, piece);
    const bool same_partner = exclusive_or && std::has_single_bit(size);
    for (Rank step = 1; step < size; ++step) {
        co_yield receive_from(same_partner ? me ^ step : (me + size - step) % size, piece);
        co_yield send_to(same_partner ? me ^ step : (me + step) % size, piece);
        co_yield wait_all();
    }
}

Schedule alltoallv_pairwise(Rank me, Rank size, Counts sends, Counts receives) {
    for (Rank step = 1; step < size; ++step) {
        const Rank to = (me + step) % size;
        const Rank from = (me + size - step) % size;
        co_yield receive_from(from, receives[from]);
        co_yield send_to(to, sends[to]);
        co_yield wait_all();
    }
}

Schedule alltoallv_linear(Rank me, Rank size, Counts sends, Counts receives, Rank window) {
    const Rank at_once = window == 0 ? size : window;
    for (Rank first = 1; first < size; first += at_once) {
        const Rank end = std::min(size, first + at_once);
        for (Rank step = first; step < end; ++step) {
            const Rank from = (me + step) % size;
            if (receives[from] > 0) co_yield receive_from(from, receives[from]);
        }
        for (Rank step = first; step < end; ++step) {
            const Rank to = (me + size - step) % size;
            if (sends[to] > 0) co_yield send_to(to, sends[to]);
        }
        co_yield wait_all();
    }
}

}  // namespace linkworth::replay::collectives
