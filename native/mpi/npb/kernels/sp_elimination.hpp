// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sp_characteristics.hpp"

/// The scalar pentadiagonal systems of one direction (RNR-94-007, 3.2.2): for the wave speeds lambda = q, q +
/// c and q - c (q the velocity along the direction, c the speed of sound) the matrix is
///     1 + dt (lambda d/dx - sigma d^2/dx^2 + h^3 epsilon d^4/dx^4),
/// in central differences, sigma the largest of the direction's diffusion coefficients. Values outside the
/// inner points are zero, and one-sided fourth differences change nothing but the middle of the first and the
/// last row.
namespace linkworth::npb::sp {

/// Factors of the matrix along one axis.
struct StepFactors {
    double convection;  ///< of lambda: dt / (2 h)
    double diffusion;   ///< dt / h^2 sigma, without viscosity
    double viscosity;   ///< dt / h^2 times what viscosity adds to sigma, times the density
    double fourth;      ///< dt epsilon
};

inline StepFactors step_factors(int axis, int points, double time_step) {
    // The largest coefficient of all components is that of the energy.
    static_assert(flow::kConduction > 4.0 / 3.0 * flow::kViscosity);
    const flow::Differences differences = flow::differences(points);
    const double second = time_step * differences.second;
    return {time_step * differences.first, second * flow::kDiffusion[axis], second * flow::kConduction,
            time_step * flow::kDissipation};
}

/// At kLanes points, times the factors above.
struct Speeds {
    Lanes flow, sound, spread;
};

inline Speeds speeds_of(const Flow& flow, const Lanes& velocity, const StepFactors& factors) {
    return {factors.convection * velocity, factors.convection * flow.sound,
            factors.diffusion + factors.viscosity * flow.inverse_density};
}

/// A row after elimination: x(p) = r(p) - next x(p + 1) - after x(p + 2), for the three wave speeds.
struct Row {
    Lanes next[3], after[3];
};

/// What is kept of kLanes points: their rows, and r, which substitution turns into x.
struct Points {
    Row row;
    Five value;
};

/// Wave speed of each characteristic variable.
inline constexpr int kSpeedOf[5] = {0, 0, 0, 1, 2};

/// The middle of the matrix without what depends on the flow; `edge`: the first or last inner point.
inline double middle_of(const StepFactors& factors, bool edge) {
    return 1.0 + (edge ? 5.0 : 6.0) * factors.fourth;
}

/// One row of the forward elimination, at point p. `before` and `beyond` are the speeds at p - 1 and p + 1.
/// r is the right-hand side at p.
inline Points eliminate(const Speeds& before, const Lanes& spread, const Speeds& beyond, double middle,
                        double fourth, const Points& two_back, const Points& one_back, const Five& r) {
    const Lanes lower = -(before.flow + before.spread) - 4.0 * fourth;
    const Lanes upper = beyond.flow - beyond.spread - 4.0 * fourth;
    const Lanes centre = middle + 2.0 * spread;
    Lanes below[3] = {lower, lower - before.sound, lower + before.sound};
    const Lanes above[3] = {upper, upper + beyond.sound, upper - beyond.sound};
    Lanes pivot[3], inverse[3];
    for (int s = 0; s < 3; ++s) {
        below[s] -= fourth * two_back.row.next[s];
        pivot[s] = centre - fourth * two_back.row.after[s] - below[s] * one_back.row.next[s];
    }
    // One division for all three: divisions, not products, limit this loop.
    const Lanes two = pivot[0] * pivot[1];
    const Lanes all = 1.0 / (two * pivot[2]);
    const Lanes rest = all * pivot[2];
    inverse[0] = rest * pivot[1];
    inverse[1] = rest * pivot[0];
    inverse[2] = all * two;
    Points own;
    for (int s = 0; s < 3; ++s) {
        own.row.next[s] = inverse[s] * (above[s] - below[s] * one_back.row.after[s]);
        own.row.after[s] = inverse[s] * fourth;
    }
    for (int v = 0; v < 5; ++v) {
        const int s = kSpeedOf[v];
        own.value[v] = inverse[s] * (r[v] - fourth * two_back.value[v] - below[s] * one_back.value[v]);
    }
    return own;
}

/// One row of the back substitution, at point p, with the solutions at p + 1 and p + 2: r becomes x.
inline void substitute(const Points& one_on, const Points& two_on, const Row& row, Five& r) {
    for (int v = 0; v < 5; ++v) {
        const int s = kSpeedOf[v];
        r[v] -= row.next[s] * one_on.value[v] + row.after[s] * two_on.value[v];
    }
}

}  // namespace linkworth::npb::sp
