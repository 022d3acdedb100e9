// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lu_factors.hpp"

/// The blocks of the triangular systems (RNR-94-007, 3.4), applied without being stored.
///
/// A neighbour's block times its solution v is the derivative, along v, of the neighbour's fluxes; with the
/// derivatives of velocity and temperature along v at hand, all three axes need only a few products more. The
/// diagonal block has only viscous terms, which are functions of velocity and temperature each: taken for
/// unknowns, these decouple.
namespace linkworth::npb::lu {

/// What the blocks need of a point's state.
struct Point {
    Lanes density, velocity[3], energy, square;  ///< energy per mass, half of the velocity's square

    explicit Point(const Lanes* u) : density(u[0]) {
        const Lanes inverse = 1.0 / u[0];
        for (int m = 0; m < 3; ++m) velocity[m] = u[1 + m] * inverse;
        square = 0.5 * (velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
        energy = u[4] * inverse;
    }
};

/// A solution v at a point and derivatives along it, of velocity and energy per mass.
struct Change {
    Lanes v[kComponents], velocity[3], energy;

    Change() = default;
    Change(const Point& at, const Lanes* solution) {
        const Lanes inverse = 1.0 / at.density;
        for (int m = 0; m < kComponents; ++m) v[m] = solution[m];
        for (int m = 0; m < 3; ++m) velocity[m] = (v[1 + m] - at.velocity[m] * v[0]) * inverse;
        energy = (v[4] - at.energy * v[0]) * inverse;
    }
};

inline Lanes dot(const Lanes (&a)[3], const Lanes (&b)[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// The solution v of (diagonal block) v = r; zero where `inside` is.
inline Change solve_diagonal(const BlockFactors& f, const Point& at, const Lanes (&r)[kComponents],
                             const Lanes& inside) {
    Change change;
    const Lanes scaled_density = f.diagonal * at.density;
    const Lanes by_viscosity = inside / (scaled_density + f.diagonal_viscosity);
    const Lanes by_heat = inside / (scaled_density + f.diagonal_heat);
    change.v[0] = (inside * f.inverse_diagonal) * r[0];
    for (int m = 0; m < 3; ++m) change.velocity[m] = (r[1 + m] - at.velocity[m] * r[0]) * by_viscosity;
    const Lanes work = dot(at.velocity, change.velocity);
    change.energy = ((r[4] - at.energy * r[0]) - (f.diagonal_viscosity - f.diagonal_heat) * work) * by_heat;
    for (int m = 0; m < 3; ++m)
        change.v[1 + m] = at.density * change.velocity[m] + at.velocity[m] * change.v[0];
    change.v[4] = at.density * change.energy + at.energy * change.v[0];
    return change;
}

/// What a point with that solution adds to the right-hand sides of its neighbours in x, y and z.
struct Contributions {
    Lanes to[3][kComponents];
};

/// `u`: the point's state.
template <Sweep sweep>
inline Contributions contributions(const BlockFactors& f, const Lanes* u, const Point& at,
                                   const Change& change) {
    const double convection = sweep == Sweep::lower ? f.convection : -f.convection;
    const Lanes(&v)[kComponents] = change.v;
    const Lanes work = dot(at.velocity, change.velocity);
    const Lanes pressure = (convection * flow::kPressure) *
                           (at.density * (change.energy - work) + (at.energy - at.square) * v[0]);
    const Lanes enthalpy = flow::kHeatRatio * at.energy - flow::kPressure * at.square;
    const Lanes enthalpy_change = convection * (flow::kHeatRatio * change.energy - flow::kPressure * work);

    Lanes common[kComponents];
    common[0] = f.diffusion * v[0];
    for (int m = 0; m < 3; ++m) common[1 + m] = f.diffusion * v[1 + m] + f.viscosity * change.velocity[m];
    common[4] = f.diffusion * v[4] + (f.viscosity - f.heat) * work + f.heat * change.energy;

    Contributions result;
    for (int axis = 0; axis < 3; ++axis) {
        Lanes(&to)[kComponents] = result.to[axis];
        const Lanes mass = convection * v[1 + axis], momentum = convection * u[1 + axis];
        const Lanes stress = f.viscosity_along * change.velocity[axis];
        to[0] = common[0] + mass;
        for (int m = 0; m < 3; ++m)
            to[1 + m] = common[1 + m] + at.velocity[m] * mass + momentum * change.velocity[m];
        to[1 + axis] += pressure + stress;
        to[4] = common[4] + enthalpy * mass + u[1 + axis] * enthalpy_change + at.velocity[axis] * stress;
    }
    for (int m = 0; m < kComponents; ++m) result.to[2][m] += f.extra_diffusion_z * v[m];
    return result;
}

}  // namespace linkworth::npb::lu
