// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

#include "../flow/model.hpp"
#include "../simd_block.hpp"

/// The small matrices of SP's diagonal form. The flux Jacobians of the Euler equations have common
/// eigenvectors only direction by direction, so changes of the flow are carried in the characteristic
/// variables of one direction after the other (T. H. Pulliam, D. S. Chaussee, "A diagonal form of an implicit
/// approximate-factorization algorithm", J. Comput. Phys. 39, 1981; RNR-94-007, 3.2.2).
///
/// Of a change of density, velocity (u, v, w) and pressure, with s = drho - dp / c^2 and p' = dp / (rho c),
/// the characteristic variables are
///     along x: (s, dw, -dv, (du + p') / sqrt 2, (p' - du) / sqrt 2)
///     along y: (-dw, s, du, (dv + p') / sqrt 2, (p' - dv) / sqrt 2)
///     along z: (dv, -du, s, (dw + p') / sqrt 2, (p' - dw) / sqrt 2);
/// the first three travel with the velocity of the flow, the fourth and fifth with the sound against it.
namespace linkworth::npb::sp {

/// Numbers of kLanes points, one vector for each of density, momentum (3) and energy, or of five
/// characteristic variables.
using Five = Lanes[5];

inline constexpr double kHalfRoot = 0.70710678118654752440;  ///< sqrt(1/2)

inline Lanes square_root(Lanes x) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) x[lane] = std::sqrt(x[lane]);
    return x;
}

/// What the matrices need of the flow.
struct Flow {
    Lanes inverse_density, u, v, w;
    Lanes kinetic;               ///< (u^2 + v^2 + w^2) / 2
    Lanes sound, inverse_sound;  ///< speed of sound
};

inline Flow flow_of(const Five& state) {
    const Lanes& density = state[0];
    const Lanes momentum = state[1] * state[1] + state[2] * state[2] + state[3] * state[3];  // squared
    // (density c)^2 first, so that one division gives all that follows.
    const Lanes impedance =
        square_root(flow::kHeatRatio * flow::kPressure * (state[4] * density - 0.5 * momentum));
    const Lanes inverse = 1.0 / (density * impedance);
    Flow flow;
    flow.inverse_density = inverse * impedance;
    flow.inverse_sound = inverse * density * density;
    flow.sound = flow.inverse_density * impedance;
    flow.u = state[1] * flow.inverse_density;
    flow.v = state[2] * flow.inverse_density;
    flow.w = state[3] * flow.inverse_density;
    flow.kinetic = 0.5 * momentum * (flow.inverse_density * flow.inverse_density);
    return flow;
}

/// Changes of the conserved variables into characteristic ones along x.
inline void conserved_to_x(const Flow& flow, Five& r) {
    const Lanes pressure =
        flow::kPressure * (flow.kinetic * r[0] - flow.u * r[1] - flow.v * r[2] - flow.w * r[3] + r[4]);
    const Lanes scaled = kHalfRoot * flow.inverse_density;
    const Lanes velocity = scaled * (r[1] - flow.u * r[0]);
    const Lanes compression = scaled * flow.inverse_sound * pressure;
    const Lanes across_z = flow.inverse_density * (r[3] - flow.w * r[0]);
    const Lanes across_y = flow.inverse_density * (flow.v * r[0] - r[2]);
    r[0] -= flow.inverse_sound * flow.inverse_sound * pressure;
    r[1] = across_z;
    r[2] = across_y;
    r[3] = compression + velocity;
    r[4] = compression - velocity;
}

inline void x_to_y(Five& r) {
    const Lanes compression = 0.5 * (r[3] + r[4]), velocity = kHalfRoot * r[2], u = kHalfRoot * (r[3] - r[4]);
    const Lanes entropy = r[0];
    r[0] = -r[1];
    r[1] = entropy;
    r[2] = u;
    r[3] = compression - velocity;
    r[4] = compression + velocity;
}

inline void y_to_z(Five& r) {
    const Lanes compression = 0.5 * (r[3] + r[4]), velocity = kHalfRoot * r[0], v = kHalfRoot * (r[3] - r[4]);
    const Lanes entropy = r[1];
    r[0] = v;
    r[1] = -r[2];
    r[2] = entropy;
    r[3] = compression - velocity;
    r[4] = compression + velocity;
}

inline void z_to_conserved(const Flow& flow, const Lanes& density, Five& r) {
    const Lanes compression = kHalfRoot * density * (r[3] + r[4]);  // dp / c
    const Lanes w = kHalfRoot * density * (r[3] - r[4]), v = density * r[0], u = -density * r[1];
    r[0] = r[2] + compression * flow.inverse_sound;
    r[1] = flow.u * r[0] + u;
    r[2] = flow.v * r[0] + v;
    r[3] = flow.w * r[0] + w;
    r[4] = flow.kinetic * r[0] + flow.u * u + flow.v * v + flow.w * w +
           compression * flow.sound * (1.0 / flow::kPressure);
}

}  // namespace linkworth::npb::sp
