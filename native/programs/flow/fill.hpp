// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "field.hpp"

namespace linkworth::npb::flow {

/// Sets the points of a box of the grid (`points` along each axis) and its ghosts to the field that the
/// solvers start from.
void fill_initial(Field& field, const Box& box, int points);

/// Sets the points of a box and its ghosts to the exact solution.
void fill_exact(Field& field, const Box& box, int points);

/// Adds the squares of the distance to the exact solution, over all points of the box.
void add_squared_errors(const Field& field, const Box& box, int points, State& sums);

/// Adds the squares of a right-hand side without ghosts, over all points of the box (it is zero on the grid's
/// boundary).
void add_squares(const Field& field, State& sums);

/// Root mean squares over the inner points of the grid, from sums over all ranks.
State root_mean_squares(const State& sums, int points);

}  // namespace linkworth::npb::flow
