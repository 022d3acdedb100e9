// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../flow/lanes.hpp"
#include "../flow/model.hpp"

/// The block tridiagonal systems of BT along kLanes lines at a time: a point's Jacobians, and one step of the
/// elimination. Source: RNR-94-007, chapter 3.
///
/// Components are taken in the order density, momentum along the line, the other two momenta, energy, which
/// makes the systems of the three axes alike. Row 0 of a Jacobian then has elements in columns 0 and 1, row 2
/// in 0, 1 and 2, and row 3 in 0, 1 and 3; the others are full.
namespace linkworth::npb::bt {

inline constexpr int kSize = flow::kComponents;

/// What makes the systems of an axis: time step times the differences' factors.
struct AxisFactors {
    double first, second, diffusion;
};

inline AxisFactors axis_factors(int axis, int points, double time_step) {
    const flow::Differences factors = flow::differences(points);
    return {time_step * factors.first, time_step * factors.second,
            time_step * factors.second * flow::kDiffusion[axis]};
}

/// Of one point, times the axis' factors: `flux` of the convective flux, `viscous` of the viscous one
/// together with the artificial diffusion.
struct Jacobians {
    Lanes flux_1[kSize - 1];  ///< row 1, without the constant last column
    Lanes flux_2[2];          ///< row 2 in columns 0 and 1; column 2 is `velocity`
    Lanes flux_3[2];          ///< row 3 in columns 0 and 1; column 3 is `velocity`
    Lanes flux_4[kSize];
    Lanes velocity;
    Lanes viscous_first[4];     ///< rows 1 to 4 in column 0
    Lanes viscous_diagonal[4];  ///< rows 1 to 4, with the diffusion
    Lanes viscous_energy[3];    ///< row 4 in columns 1 to 3
};

inline void find_jacobians(const Lanes (&u)[kSize], const AxisFactors& factors, Jacobians& out) {
    constexpr double k1 = flow::kHeatRatio, k2 = flow::kPressure;
    const Lanes inverse = 1.0 / u[0];
    const Lanes w = u[1] * inverse, v = u[2] * inverse, s = u[3] * inverse, energy = u[4] * inverse;
    const Lanes cross = v * v + s * s, ww = w * w, half = 0.5 * (ww + cross);

    const Lanes fw = factors.first * w;
    out.velocity = fw;
    out.flux_1[0] = factors.first * (k2 * half - ww);
    out.flux_1[1] = (2.0 - k2) * fw;
    out.flux_1[2] = (-k2 * factors.first) * v;
    out.flux_1[3] = (-k2 * factors.first) * s;
    out.flux_2[0] = -v * fw;
    out.flux_2[1] = factors.first * v;
    out.flux_3[0] = -s * fw;
    out.flux_3[1] = factors.first * s;
    out.flux_4[0] = (2.0 * k2 * half - k1 * energy) * fw;
    out.flux_4[1] = factors.first * (k1 * energy - k2 * (half + ww));
    out.flux_4[2] = -k2 * v * fw;
    out.flux_4[3] = -k2 * s * fw;
    out.flux_4[4] = k1 * fw;

    const double along = 4.0 / 3.0 * flow::kViscosity * factors.second;
    const double across = flow::kViscosity * factors.second;
    const double heat = flow::kConduction * factors.second;
    const Lanes i_along = along * inverse, i_across = across * inverse, i_heat = heat * inverse;
    out.viscous_diagonal[0] = i_along + factors.diffusion;
    out.viscous_diagonal[1] = i_across + factors.diffusion;
    out.viscous_diagonal[2] = out.viscous_diagonal[1];
    out.viscous_diagonal[3] = i_heat + factors.diffusion;
    out.viscous_first[0] = -i_along * w;
    out.viscous_first[1] = -i_across * v;
    out.viscous_first[2] = -i_across * s;
    const Lanes e_along = i_along - i_heat, e_across = i_across - i_heat;
    out.viscous_first[3] = -(e_along * ww + e_across * cross + i_heat * energy);
    out.viscous_energy[0] = e_along * w;
    out.viscous_energy[1] = e_across * v;
    out.viscous_energy[2] = e_across * s;
}

/// Where a row of a Jacobian has elements that are not always zero.
constexpr bool filled(int row, int column) { return row == 1 || row == 4 || column <= 1 || column == row; }

/// The block that multiplies a neighbour: -viscous + sign flux, sign -1 for the one before.
template <int sign>
inline void neighbour_block(const Jacobians& at, const AxisFactors& factors, Lanes (&block)[kSize][kSize]) {
    constexpr double f = sign;
    block[0][0] = flow::splat(-factors.diffusion);
    block[0][1] = flow::splat(f * factors.first);
    block[1][0] = f * at.flux_1[0] - at.viscous_first[0];
    block[1][1] = f * at.flux_1[1] - at.viscous_diagonal[0];
    block[1][2] = f * at.flux_1[2];
    block[1][3] = f * at.flux_1[3];
    block[1][4] = flow::splat(f * flow::kPressure * factors.first);
    block[2][0] = f * at.flux_2[0] - at.viscous_first[1];
    block[2][1] = f * at.flux_2[1];
    block[2][2] = f * at.velocity - at.viscous_diagonal[1];
    block[3][0] = f * at.flux_3[0] - at.viscous_first[2];
    block[3][1] = f * at.flux_3[1];
    block[3][3] = f * at.velocity - at.viscous_diagonal[2];
    block[4][0] = f * at.flux_4[0] - at.viscous_first[3];
    for (int c = 1; c < 4; ++c) block[4][c] = f * at.flux_4[c] - at.viscous_energy[c - 1];
    block[4][4] = f * at.flux_4[4] - at.viscous_diagonal[3];
}

/// The block of the point itself: 1 + 2 viscous.
inline void own_block(const Jacobians& at, const AxisFactors& factors, Lanes (&block)[kSize][kSize]) {
    for (auto& row : block)
        for (auto& element : row) element = Lanes{};
    block[0][0] = flow::splat(1.0 + 2.0 * factors.diffusion);
    for (int r = 1; r < kSize; ++r) {
        block[r][0] = 2.0 * at.viscous_first[r - 1];
        block[r][r] = 1.0 + 2.0 * at.viscous_diagonal[r - 1];
    }
    for (int c = 1; c < 4; ++c) block[4][c] = 2.0 * at.viscous_energy[c - 1];
}

/// What is left of a point after elimination: x = right - upper x(next).
struct Eliminated {
    Lanes upper[kSize][kSize];
    Lanes right[kSize];
};

/// The unit upper triangle, the multipliers below it and the reciprocal pivots, in place.
inline void factorise(Lanes (&d)[kSize][kSize], Lanes (&pivot)[kSize]) {
#pragma GCC unroll 5
    for (int p = 0; p < kSize; ++p) {
        pivot[p] = 1.0 / d[p][p];
#pragma GCC unroll 5
        for (int c = p + 1; c < kSize; ++c) d[p][c] *= pivot[p];
#pragma GCC unroll 5
        for (int r = p + 1; r < kSize; ++r) {
#pragma GCC unroll 5
            for (int c = p + 1; c < kSize; ++c) d[r][c] -= d[r][p] * d[p][c];
        }
    }
}

/// x becomes the solution for the right-hand side x, whose elements before `first` are zero.
inline void solve_factorised(const Lanes (&d)[kSize][kSize], const Lanes (&pivot)[kSize], int first,
                             Lanes (&x)[kSize]) {
#pragma GCC unroll 5
    for (int p = first; p < kSize; ++p) {
#pragma GCC unroll 5
        for (int c = first; c < p; ++c) x[p] -= d[p][c] * x[c];
        x[p] *= pivot[p];
    }
#pragma GCC unroll 5
    for (int p = kSize - 2; p >= 0; --p) {
#pragma GCC unroll 5
        for (int c = kSize - 1; c > p; --c) x[p] -= d[p][c] * x[c];
    }
}

/// Eliminates the point `at` with what is left of the one before: `before`, `at` and `after` are the
/// Jacobians there, `right` the right-hand side.
inline void eliminate_point(const Jacobians& before, const Jacobians& at, const Jacobians& after,
                            const AxisFactors& factors, const Eliminated& last, const Lanes (&right)[kSize],
                            Eliminated& out) {
    Lanes lower[kSize][kSize], own[kSize][kSize], upper[kSize][kSize];
    neighbour_block<-1>(before, factors, lower);
    own_block(at, factors, own);
#pragma GCC unroll 5
    for (int c = 0; c < kSize; ++c) {
#pragma GCC unroll 5
        for (int r = 0; r < kSize; ++r) {
#pragma GCC unroll 5
            for (int k = 0; k < kSize; ++k)
                if (filled(r, k)) own[r][c] -= lower[r][k] * last.upper[k][c];
        }
    }
    Lanes x[kSize];
#pragma GCC unroll 5
    for (int r = 0; r < kSize; ++r) {
        x[r] = right[r];
#pragma GCC unroll 5
        for (int k = 0; k < kSize; ++k)
            if (filled(r, k)) x[r] -= lower[r][k] * last.right[k];
    }
    Lanes pivot[kSize];
    factorise(own, pivot);
    solve_factorised(own, pivot, 0, x);
#pragma GCC unroll 5
    for (int r = 0; r < kSize; ++r) out.right[r] = x[r];

    neighbour_block<1>(after, factors, upper);
#pragma GCC unroll 5
    for (int c = 0; c < kSize; ++c) {
#pragma GCC unroll 5
        for (int r = 0; r < kSize; ++r) x[r] = filled(r, c) ? upper[r][c] : Lanes{};
        solve_factorised(own, pivot, filled(0, c) ? 0 : 1, x);
#pragma GCC unroll 5
        for (int r = 0; r < kSize; ++r) out.upper[r][c] = x[r];
    }
}

/// x of the point, from x of the next.
inline void substitute_point(const Eliminated& at, Lanes (&x)[kSize]) {
    Lanes next[kSize];
#pragma GCC unroll 5
    for (int r = 0; r < kSize; ++r) {
        next[r] = at.right[r];
#pragma GCC unroll 5
        for (int c = 0; c < kSize; ++c) next[r] -= at.upper[r][c] * x[c];
    }
#pragma GCC unroll 5
    for (int r = 0; r < kSize; ++r) x[r] = next[r];
}

}  // namespace linkworth::npb::bt
