// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include "bt_sweep.hpp"

namespace linkworth::npb::bt {

using flow::load;
using flow::store;

namespace {

inline void find_jacobians_at(const Lines& lines, int point, const AxisFactors& factors, Jacobians& out) {
    Lanes u[kSize];
    for (int m = 0; m < kSize; ++m) u[m] = load(lines.u[m] + point * lines.u_step);
    find_jacobians(u, factors, out);
}

}  // namespace

void eliminate(const Lines& lines, const AxisFactors& factors, Eliminated& carry, Eliminated* store) {
    Jacobians ring[3];
    Jacobians *before = &ring[0], *at = &ring[1], *after = &ring[2];
    find_jacobians_at(lines, lines.first - 1, factors, *before);
    find_jacobians_at(lines, lines.first, factors, *at);
    const Eliminated* last = &carry;
    for (int p = lines.first; p < lines.last; ++p) {
        find_jacobians_at(lines, p + 1, factors, *after);
        Lanes right[kSize];
        for (int m = 0; m < kSize; ++m) {
            right[m] = load(lines.right[m] + p * lines.right_step);
            __builtin_prefetch(lines.u[m] + p * lines.u_step + lines.u_ahead, 0, 2);
            __builtin_prefetch(lines.right[m] + p * lines.right_step + lines.right_ahead, 1, 2);
        }
        eliminate_point(*before, *at, *after, factors, *last, right, store[p]);
        last = &store[p];
        Jacobians* const free = before;
        before = at;
        at = after;
        after = free;
    }
    carry = *last;
}

void substitute(const Lines& lines, const Eliminated* store, Lanes (&carry)[kSize]) {
    for (int p = lines.last - 1; p >= lines.first; --p) {
        substitute_point(store[p], carry);
        for (int m = 0; m < kSize; ++m) flow::store(lines.right[m] + p * lines.right_step, carry[m]);
    }
}

void substitute_and_add(const Lines& lines, const Eliminated* store, Lanes (&carry)[kSize],
                        double* const (&field)[kSize]) {
    for (int p = lines.last - 1; p >= lines.first; --p) {
        substitute_point(store[p], carry);
        for (int m = 0; m < kSize; ++m) {
            double* const to = field[m] + p * lines.u_step;
            flow::store(to, load(to) + carry[m]);
        }
    }
}

}  // namespace linkworth::npb::bt
