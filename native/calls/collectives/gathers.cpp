// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/collectives/algorithms.hpp"

namespace linkworth::replay::collectives {

Schedule scatter_binomial(Rank me, Rank size, Rank root, Bytes piece) {
    const Rank mine = relative(me, root, size);
    const Rank distance = parent_distance(mine, size);
    if (mine != 0) {
        co_yield receive_from(absolute(mine - distance, root, size), piece * subtree(mine, distance, size));
        co_yield wait_all();
    }
    for (Rank step = distance / 2; step > 0; step /= 2) {
        if (mine + step >= size) continue;
        co_yield send_to(absolute(mine + step, root, size), piece * subtree(mine + step, step, size));
        co_yield wait_all();
    }
}

Schedule gather_binomial(Rank me, Rank size, Rank root, Bytes piece) {
    const Rank mine = relative(me, root, size);
    const Rank distance = parent_distance(mine, size);
    for (Rank step = 1; step < distance; step *= 2) {
        if (mine + step >= size) break;
        co_yield receive_from(absolute(mine + step, root, size), piece * subtree(mine + step, step, size));
        co_yield wait_all();
    }
    if (mine != 0) {
        co_yield send_to(absolute(mine - distance, root, size), piece * subtree(mine, distance, size));
        co_yield wait_all();
    }
}

Schedule gather_linear(Rank me, Rank size, Rank root, Bytes own, Pieces pieces) {
    if (me != root) {
        if (own > 0) co_yield send_to(root, own);
    } else {
        for (Rank peer = 0; peer < size; ++peer)
            if (peer != root && pieces[peer] > 0) co_yield receive_from(peer, pieces[peer]);
    }
    co_yield wait_all();
}

Schedule scatter_linear(Rank me, Rank size, Rank root, Bytes own, Pieces pieces) {
    if (me != root) {
        if (own > 0) co_yield receive_from(root, own);
    } else {
        for (Rank peer = 0; peer < size; ++peer)
            if (peer != root && pieces[peer] > 0) co_yield send_to(peer, pieces[peer]);
    }
    co_yield wait_all();
}

Schedule gather_linear_sync(Rank me, Rank size, Rank root, Bytes piece, Bytes segment) {
    const Bytes first = segment == 0 ? piece : std::min(piece, segment);
    const Bytes rest = piece - first;
    if (me != root) {
        co_yield receive_from(root, 0);
        co_yield wait_all();
        co_yield send_to(root, first);
        co_yield wait_all();
        co_yield send_to(root, rest);
        co_yield wait_all();
        co_return;
    }
    for (Rank peer = 0; peer < size; ++peer) {
        if (peer == root) continue;
        co_yield receive_from(peer, first);
        co_yield send_to(peer, 0);
        co_yield receive_ahead(peer, rest);
        co_yield wait_all();
    }
    co_yield wait_all();
}

}  // namespace linkworth::replay::collectives
