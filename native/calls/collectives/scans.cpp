// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/collectives/algorithms.hpp"

namespace linkworth::replay::collectives {

Schedule scan_linear(Rank me, Rank size, Bytes bytes) {
    if (me > 0) {
        co_yield receive_from(me - 1, bytes);
        co_yield wait_all();
        co_yield combine(bytes);
    }
    if (me + 1 < size) {
        co_yield send_to(me + 1, bytes);
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
        // Data from lower ranks goes into the own prefix and into what is sent on.
        co_yield combine(partner < me ? 2 * bytes : bytes);
    }
}

}  // namespace linkworth::replay::collectives
