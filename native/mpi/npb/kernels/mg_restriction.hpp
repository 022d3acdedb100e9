// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mg_faces.hpp"
#include "mg_grid.hpp"

/// Restriction of a residual to the next coarser level: point J takes the weighted mean over the 27 points
/// around point 2J + 1, the weights being 1/2, 1/4, 1/8 and 1/16 for the point and its neighbours across
/// faces, edges and corners. That is half the product of (1/2, 1, 1/2) along each axis.
namespace linkworth::npb::mg {

/// Adds what a row (y, z) of the finer level gives to the coarser one. `halved`: the row after its
/// restriction along x, `count` points from coarse point `first`. Rows come in ascending order, z within
/// blocks of y; unless `add`, the first that reaches a point overwrites it.
void restrict_row(const Grid& coarse, const double* halved, std::int64_t first, std::int64_t count,
                  std::int64_t y, std::int64_t z, bool add);

/// Adds what the ghosts beyond a box of `extent` give, each even.
void restrict_ghosts(const Grid& coarse, const Faces& faces, const Triple& extent, double* row,
                     double* halved);

/// From a grid that has its ghosts. `odd[axis]`: the box has one point along the axis, and that is the coarse
/// one. `row`: scratch for a row of the finer level with its ghosts.
void restrict_grid(const Grid& coarse, const Grid& fine, const std::array<bool, kAxes>& odd, double* row);

}  // namespace linkworth::npb::mg
