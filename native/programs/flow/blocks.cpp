// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "blocks.hpp"

namespace linkworth::npb::flow {

PointState::PointState(const Field& u, const Field& derived, int x, int y, int z) {
    const double* const quantities = derived.at(x, y, z);
    inverse_density = quantities[kInverseDensity];
    for (int d = 0; d < 3; ++d) velocity[d] = quantities[kVelocity + d];
    kinetic = quantities[kKinetic] * inverse_density;
    energy = u.at(x, y, z)[4] * inverse_density;
}

void find_jacobians(int axis, double convection, double diffusion, const PointState& at, Block& block) {
    constexpr double k1 = kHeatRatio, k2 = kPressure;
    const double along = at.velocity[axis], flow = convection * along;
    const double artificial = diffusion * kDiffusion[axis];
    const double heat = diffusion * kConduction * at.inverse_density;
    const int momentum = 1 + axis;

    block = {};
    block[0][0] = artificial;
    block[0][momentum] = convection;
    double work = 0.0;
    for (int d = 0; d < 3; ++d) {
        const double velocity = at.velocity[d];
        const double stress = d == axis ? 4.0 / 3.0 * kViscosity : kViscosity;
        const double viscosity = diffusion * stress * at.inverse_density;
        block[1 + d][0] = -(flow + viscosity) * velocity;
        block[1 + d][momentum] = convection * velocity;
        block[momentum][1 + d] = -convection * k2 * velocity;
        block[1 + d][1 + d] = flow + viscosity + artificial;
        block[4][1 + d] = (viscosity - heat - k2 * flow) * velocity;
        work += (viscosity - heat) * velocity * velocity;
    }
    block[momentum][0] += convection * k2 * at.kinetic;
    block[momentum][momentum] += (1.0 - k2) * flow;
    block[momentum][4] = convection * k2;
    block[4][0] = flow * (2.0 * k2 * at.kinetic - k1 * at.energy) - work - heat * at.energy;
    block[4][momentum] += convection * (k1 * at.energy - k2 * at.kinetic);
    block[4][4] = k1 * flow + heat + artificial;
}

}  // namespace linkworth::npb::flow
