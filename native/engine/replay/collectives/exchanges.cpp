// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Collectives in which every rank gives to every rank: barrier, all-gather, all-to-all.
#include <algorithm>
#include <bit>

#include "replay/collectives/algorithms.hpp"

namespace linkworth::replay::collectives {

Schedule barrier_dissemination(Rank me, Rank size) {
    for (Rank step = 1; step < size; step *= 2) {
        co_yield receive_from((me + size - step) % size, 0);
        co_yield send_to((me + step) % size, 0);
        co_yield wait_all();
    }
}

Schedule allgather_recursive_doubling(Rank me, Rank size, Bytes piece) {
    for (Rank step = 1; step < size; step *= 2) {
        co_yield receive_from(me ^ step, piece * step);
        co_yield send_to(me ^ step, piece * step);
        co_yield wait_all();
    }
}

Schedule allgather_bruck(Rank me, Rank size, Bytes piece) {
    for (Rank step = 1; step < size; step *= 2) {
        const Bytes bytes = piece * std::min(step, size - step);
        co_yield receive_from((me + step) % size, bytes);
        co_yield send_to((me + size - step) % size, bytes);
        co_yield wait_all();
    }
}

Schedule allgather_ring(Rank me, Rank size, Counts counts) {
    const Rank right = (me + 1) % size;
    const Rank left = (me + size - 1) % size;
    for (Rank step = 0; step + 1 < size; ++step) {
        co_yield receive_from(left, counts[(me + size - step - 1) % size]);
        co_yield send_to(right, counts[(me + size - step) % size]);
        co_yield wait_all();
    }
}

Schedule alltoall_bruck(Rank me, Rank size, Bytes piece) {
    for (Rank step = 1; step < size; step *= 2) {
        Rank pieces = 0;
        for (Rank index = 1; index < size; ++index)
            if ((index & step) != 0) ++pieces;
        co_yield receive_from((me + size - step) % size, piece * pieces);
        co_yield send_to((me + step) % size, piece * pieces);
        co_yield wait_all();
    }
}

Schedule alltoall_linear(Rank me, Rank size, Bytes piece, Rank window) {
    for (Rank first = 1; first < size; first += window) {
        const Rank end = std::min(size, first + window);
        for (Rank step = first; step < end; ++step) co_yield receive_from((me + step) % size, piece);
        for (Rank step = first; step < end; ++step) co_yield send_to((me + size - step) % size, piece);
        co_yield wait_all();
    }
}

Schedule alltoall_pairwise(Rank me, Rank size, Bytes piece) {
    const bool exclusive_or = std::has_single_bit(size);
    for (Rank step = 1; step < size; ++step) {
        const Rank to = exclusive_or ? me ^ step : (me + step) % size;
        const Rank from = exclusive_or ? me ^ step : (me + size - step) % size;
        co_yield receive_from(from, piece);
        co_yield send_to(to, piece);
        co_yield wait_all();
    }
}

Schedule alltoallv_pairwise(Rank me, Rank size, Counts send_counts, Counts recv_counts) {
    for (Rank step = 1; step < size; ++step) {
        const Rank to = (me + step) % size;
        const Rank from = (me + size - step) % size;
        co_yield receive_from(from, recv_counts[from]);
        co_yield send_to(to, send_counts[to]);
        co_yield wait_all();
    }
}

}  // namespace linkworth::replay::collectives
