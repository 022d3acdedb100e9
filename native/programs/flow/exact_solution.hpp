// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model.hpp"

/// The solution that the flow solvers converge to and the field that they start from, as pure functions of
/// the place. Source: RNR-94-007, chapter 3, with its table of the coefficients.
namespace linkworth::npb::flow {

/// Coefficients of each component: the constant, then the factors of x, y, z, x^2, y^2, z^2, x^3, ... z^4.
inline constexpr std::array<std::array<double, 13>, kComponents> kExactCoefficients{{
    {2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
    {1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
    {5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
}};

/// A place in the cube, each coordinate from 0 to 1.
using Place = std::array<double, 3>;

/// Returns the place of the point with these indices on a grid of `points` points along each axis. Indices
/// outside the grid give places outside the cube, where the polynomial still has values.
constexpr Place place(int i, int j, int k, int points) {
    const double intervals = points - 1.0;
    return {i / intervals, j / intervals, k / intervals};
}

/// Returns the contribution of one coordinate to one component. The solution is the constant and the sum over
/// the axes.
constexpr double axis_term(int component, int axis, double t) {
    const auto& c = kExactCoefficients[component];
    return t * (c[1 + axis] + t * (c[4 + axis] + t * (c[7 + axis] + t * c[10 + axis])));
}

constexpr State exact_state(const Place& at) {
    State state{};
    for (int m = 0; m < kComponents; ++m)
        state[m] = kExactCoefficients[m][0] + axis_term(m, 0, at[0]) + axis_term(m, 1, at[1]) +
                   axis_term(m, 2, at[2]);
    return state;
}

/// Returns the initial state: exact on the boundary, and inside it blended from the exact values of the six
/// nearest boundary points, P_x + P_y + P_z - P_x P_y - P_y P_z - P_z P_x + P_x P_y P_z with P_x linear
/// between the two points in x, and so on (products of values, as in the report).
constexpr State initial_state(const Place& at) {
    for (const double coordinate : at)
        if (coordinate <= 0.0 || coordinate >= 1.0) return exact_state(at);
    std::array<State, 3> blend{};
    for (int axis = 0; axis < 3; ++axis) {
        Place low = at, high = at;
        low[axis] = 0.0;
        high[axis] = 1.0;
        const State from = exact_state(low), to = exact_state(high);
        for (int m = 0; m < kComponents; ++m) blend[axis][m] = at[axis] * to[m] + (1.0 - at[axis]) * from[m];
    }
    State state{};
    for (int m = 0; m < kComponents; ++m) {
        const double x = blend[0][m], y = blend[1][m], z = blend[2][m];
        state[m] = x + y + z - x * y - y * z - z * x + x * y * z;
    }
    return state;
}

}  // namespace linkworth::npb::flow
