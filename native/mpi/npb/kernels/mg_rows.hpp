// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../programs/mg.hpp"

/// Arithmetic on rows along x: `count` points, and where it is said the ghosts at -1 and `count`. Of rows
/// with ghosts whole vectors are read, kRowAlignment numbers beyond either end.
namespace linkworth::npb::mg {

/// Row (y + dy, z + dz) is around[dz + 1][dy + 1]; with ghosts.
using Neighbourhood = const double* [3][3];

/// Rows that will be read soon, of u and of v: prefetched, because processors do not run ahead far enough on
/// rows that are parts of blocks.
struct Ahead {
    const double *u, *v;
};

/// r = v - A u.
void residual_row(const Neighbourhood& u, const double* v, double* r, std::int64_t count, const Ahead& ahead);
/// The same, and its sum of squares and largest absolute value, added to `norm`.
void residual_row_and_norm(const Neighbourhood& u, const double* v, double* r, std::int64_t count,
                           const Ahead& ahead, Norm& norm);

/// u += S r.
void smooth_row(const Neighbourhood& r, double* u, std::int64_t count, const Stencil& smoother);

/// halved[J] = r[2J] / 2 + r[2J + 1] + r[2J + 2] / 2 for J from 0 to `count` / 2 - 1 (`count` even). Reads
/// the upper ghost.
void halve_row(const double* r, double* halved, std::int64_t count);

/// The mean of 1, 2 or 4 coarse rows with ghosts and `count` points, brought to a row of u with twice as many
/// and two ghosts: odd points get their own coarse point's, even ones the mean of the two beside them. It is
/// added to u if `accumulate`, and else replaces it. `ahead`: a row of u to prefetch.
void interpolate_row(const double* const* coarse, int rows, double* u, std::int64_t count, bool accumulate,
                     const double* ahead);

}  // namespace linkworth::npb::mg
