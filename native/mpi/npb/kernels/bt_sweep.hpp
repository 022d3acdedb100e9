// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bt_system.hpp"

namespace linkworth::npb::bt {

/// kLanes lines through a cell, side by side in the lanes of vectors. Components in the order of
/// bt_system.hpp.
struct Lines {
    const double* u[kSize];  ///< at the first point of the cell; also read one point before and after it
    double* right[kSize];    ///< right-hand side, and then the solution
    std::ptrdiff_t u_step, right_step;    ///< from a point to the next
    std::ptrdiff_t u_ahead, right_ahead;  ///< to the lines that come next, which are brought near meanwhile
    int first, last;  ///< points with equations: [first, last), without the grid's boundary
};

/// Eliminates upwards. `store[p]` gets what is left of point p; it starts from `carry`, and leaves there what
/// is left of the last point.
void eliminate(const Lines& lines, const AxisFactors& factors, Eliminated& carry, Eliminated* store);

/// Substitutes downwards: the solution goes where the right-hand sides were. `carry` is the solution of the
/// point after the last, and is left as that of the first.
void substitute(const Lines& lines, const Eliminated* store, Lanes (&carry)[kSize]);

/// Adds the solution to another field of the lines instead of keeping it.
void substitute_and_add(const Lines& lines, const Eliminated* store, Lanes (&carry)[kSize],
                        double* const (&field)[kSize]);

}  // namespace linkworth::npb::bt
