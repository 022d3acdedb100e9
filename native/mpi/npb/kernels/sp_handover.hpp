// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "../flow/lanes.hpp"
#include "sp_sweeps.hpp"

/// What a bundle hands from cell to cell: numbers of its inner lines, lane after lane, vector after vector.
namespace linkworth::npb::sp {

/// The lanes of a vector that hold inner lines of the grid.
struct InnerLanes {
    int first, count;
};

inline void give(const Lanes& vector, InnerLanes inner, double*& message) {
    if (inner.count == static_cast<int>(kLanes)) {
        flow::store(message, vector);
    } else {
        for (int i = 0; i < inner.count; ++i) message[i] = vector[inner.first + i];
    }
    message += inner.count;
}

/// The other lanes become zero: they must not change.
inline void take(const double*& message, InnerLanes inner, Lanes& vector) {
    if (inner.count == static_cast<int>(kLanes)) {
        vector = flow::load(message);
    } else {
        vector = Lanes{};
        for (int i = 0; i < inner.count; ++i) vector[inner.first + i] = message[i];
    }
    message += inner.count;
}

/// Calls use(vector, inner lanes) for the values of two points from `point` on, and for their rows if asked.
/// `inner(v)`: the inner lanes of vector v.
template <class Inner, class Use>
void for_each_vector(Kept kept, int point, bool rows, Inner&& inner, Use&& use) {
    for (int p = point; p < point + 2; ++p)
        for (int v = 0; v < kept.width(); ++v) {
            Points& points = kept.at(p)[v];
            const InnerLanes lanes = inner(v);
            for (int s = 0; rows && s < 3; ++s) {
                use(points.row.next[s], lanes);
                use(points.row.after[s], lanes);
            }
            for (Lanes& value : points.value) use(value, lanes);
        }
}

}  // namespace linkworth::npb::sp
