// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

/// Model of the three flow solvers BT, SP and LU: the compressible Navier-Stokes equations in a cube, made
/// artificial by a forcing term so that a polynomial solves them. Source: D. Bailey et al., The NAS Parallel
/// Benchmarks, RNR-94-007, 1994, chapter 3.
///
/// States are (density, momentum in x, y and z, total energy), all per unit volume and dimensionless. Axes
/// are 0, 1 and 2 for x, y and z. A grid has the same number of points along each axis, from 0 to 1 at equal
/// distances. Its outermost points are on the boundary.
namespace linkworth::npb::flow {

inline constexpr int kComponents = 5;
/// Points on each side of a point that its fourth difference needs.
inline constexpr int kReach = 2;

/// One number for each component.
using State = std::array<double, kComponents>;

/// A class of BT, SP or LU: the grid, the time steps and the figures that a right run gives.
struct Class {
    char letter;
    int points;  ///< of the grid along each axis, boundary included
    int iterations;
    double time_step;
    State residual;                 ///< root mean squares of the right-hand side's components
    State error;                    ///< root mean squares of the distance to the exact solution
    double mega_operations;         ///< floating point operations of the timed region / 10^6
    double surface_integral = 0.0;  ///< of LU
};

/// Largest relative error of each figure.
inline constexpr double kTolerance = 1e-8;

/// The report's k1: ratio of specific heats.
inline constexpr double kHeatRatio = 1.4;
/// The report's k2 = k1 - 1: pressure = k2 (energy - momentum^2 / (2 density)).
inline constexpr double kPressure = 0.4;
/// The report's k3 k4, the viscosity.
inline constexpr double kViscosity = 0.1 * 1.0;
/// The report's k1 k3 k4 k5, the conduction of heat.
inline constexpr double kConduction = kHeatRatio * kViscosity * 1.4;

/// Second derivatives' artificial coefficients of each axis (the report's d_xi, d_eta, d_zeta), the same for
/// all components.
inline constexpr std::array<double, 3> kDiffusion{0.75, 0.75, 1.0};
/// Coefficient of fourth differences (the report's epsilon): a quarter of the largest of them.
inline constexpr double kDissipation = 0.25 * 1.0;

/// Factors of central differences on a grid of `points` points along an axis.
struct Differences {
    double first;   ///< of value(i+1) - value(i-1)
    double second;  ///< of value(i+1) - 2 value(i) + value(i-1)
};

constexpr Differences differences(int points) {
    const double intervals = points - 1.0;
    return {intervals / 2.0, intervals * intervals};
}

/// Weights of value(i-2) ... value(i+2) in the fourth difference at point `i`: one-sided beside the boundary,
/// nothing on it.
constexpr std::array<double, 5> fourth_difference(int i, int points) {
    if (i <= 0 || i >= points - 1) return {0.0, 0.0, 0.0, 0.0, 0.0};
    if (i == 1) return {0.0, 0.0, 5.0, -4.0, 1.0};
    if (i == 2) return {0.0, -4.0, 6.0, -4.0, 1.0};
    if (i == points - 3) return {1.0, -4.0, 6.0, -4.0, 0.0};
    if (i == points - 2) return {1.0, -4.0, 5.0, 0.0, 0.0};
    return {1.0, -4.0, 6.0, -4.0, 1.0};
}

/// Part of a grid: the points from `first`, `size` of them along each axis.
struct Box {
    std::array<int, 3> first, size;
};

/// Indices of some points of a box along each axis: [first, last).
struct Points {
    std::array<int, 3> first, last;

    int along(int axis) const { return last[axis] - first[axis]; }
};

/// Returns the points of the box inside a grid of `points` points along each axis.
inline Points inner_points(const Box& box, int points) {
    Points inner{};
    for (int axis = 0; axis < 3; ++axis) {
        inner.first[axis] = std::max(0, 1 - box.first[axis]);
        inner.last[axis] = std::min(box.size[axis], points - 1 - box.first[axis]);
    }
    return inner;
}

}  // namespace linkworth::npb::flow
