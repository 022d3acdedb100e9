// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// The changes of variables of SP's diagonal form. The flux Jacobians of the Euler equations have common
// eigenvectors only direction by direction, so changes of the flow are carried in the characteristic
// variables of one direction after the other (T. H. Pulliam, D. S. Chaussee, "A diagonal form of an implicit
// approximate-factorization algorithm", J. Comput. Phys. 39, 1981; RNR-94-007, 3.2.2).
//
// For a change of density, velocity (u, v, w) and pressure, with s = drho - dp / c^2 and p' = dp / (rho c),
// the characteristic variables are
//     along x: (s, dw, -dv, (du + p') / sqrt 2, (p' - du) / sqrt 2)
//     along y: (-dw, s, du, (dv + p') / sqrt 2, (p' - dv) / sqrt 2)
//     along z: (dv, -du, s, (dw + p') / sqrt 2, (p' - dw) / sqrt 2);
// the first three travel with the velocity of the flow, the fourth and fifth with the sound against it.
#include "solver.hpp"

namespace linkworth::npb::sp {

namespace {

constexpr double kHalfRoot = 0.70710678118654752440;  // sqrt(1/2)

}  // namespace

void SolverKernel::conserved_to_x(int number) {
    flow::Cell& cell = cells_[number];
    flow::for_each_point(cell.inner, [&](int x, int y, int z) {
        double* const r = cell.right.at(x, y, z);
        const double* const derived = cell.derived.at(x, y, z);
        const double inverse = derived[flow::kInverseDensity];
        const double u = derived[flow::kVelocity];
        const double v = derived[flow::kVelocity + 1];
        const double w = derived[flow::kVelocity + 2];
        const double kinetic = derived[flow::kKinetic] * inverse;
        const double sound = *sound_[number].at(x, y, z);

        const double pressure = flow::kPressure * (kinetic * r[0] - u * r[1] - v * r[2] - w * r[3] + r[4]);
        const double velocity = kHalfRoot * inverse * (r[1] - u * r[0]);
        const double compression = kHalfRoot * inverse * pressure / sound;
        const double entropy = r[0] - pressure / (sound * sound);
        const double across_z = inverse * (r[3] - w * r[0]);
        const double across_y = inverse * (v * r[0] - r[2]);
        r[0] = entropy;
        r[1] = across_z;
        r[2] = across_y;
        r[3] = compression + velocity;
        r[4] = compression - velocity;
    });
}

void SolverKernel::x_to_y(int number) {
    flow::Cell& cell = cells_[number];
    flow::for_each_point(cell.inner, [&](int x, int y, int z) {
        double* const r = cell.right.at(x, y, z);
        const double entropy = r[0], w = r[1];
        const double v = -kHalfRoot * r[2], u = kHalfRoot * (r[3] - r[4]);
        const double compression = 0.5 * (r[3] + r[4]);
        r[0] = -w;
        r[1] = entropy;
        r[2] = u;
        r[3] = compression + v;
        r[4] = compression - v;
    });
}

void SolverKernel::y_to_z(int number) {
    flow::Cell& cell = cells_[number];
    flow::for_each_point(cell.inner, [&](int x, int y, int z) {
        double* const r = cell.right.at(x, y, z);
        const double entropy = r[1], u = r[2];
        const double w = -kHalfRoot * r[0], v = kHalfRoot * (r[3] - r[4]);
        const double compression = 0.5 * (r[3] + r[4]);
        r[0] = v;
        r[1] = -u;
        r[2] = entropy;
        r[3] = compression + w;
        r[4] = compression - w;
    });
}

void SolverKernel::z_to_conserved(int number) {
    flow::Cell& cell = cells_[number];
    flow::for_each_point(cell.inner, [&](int x, int y, int z) {
        double* const r = cell.right.at(x, y, z);
        const double* const derived = cell.derived.at(x, y, z);
        const double density = cell.u.at(x, y, z)[0];
        const double u = derived[flow::kVelocity];
        const double v = derived[flow::kVelocity + 1];
        const double w = derived[flow::kVelocity + 2];
        const double kinetic = derived[flow::kKinetic] * derived[flow::kInverseDensity];
        const double sound = *sound_[number].at(x, y, z);

        const double compression = kHalfRoot * density * (r[3] + r[4]);  // dp / c
        const double dw = kHalfRoot * density * (r[3] - r[4]);
        const double dv = density * r[0], du = -density * r[1];
        r[0] = r[2] + compression / sound;
        r[1] = u * r[0] + du;
        r[2] = v * r[0] + dv;
        r[3] = w * r[0] + dw;
        r[4] = kinetic * r[0] + u * du + v * dv + w * dw + compression * sound / flow::kPressure;
    });
}

}  // namespace linkworth::npb::sp
