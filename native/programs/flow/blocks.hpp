// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"
#include "right_hand_side.hpp"

/// The 5 x 5 blocks of the implicit systems of BT and LU (RNR-94-007, chapter 3).
namespace linkworth::npb::flow {

/// [row][column].
struct Block {
    double* operator[](int row) { return elements[row]; }
    const double* operator[](int row) const { return elements[row]; }
    double elements[kComponents][kComponents];
};

/// Quantities from which the Jacobians of a point are made.
struct PointState {
    PointState(const Field& u, const Field& derived, int x, int y, int z);

    double inverse_density, velocity[3];
    double kinetic;  ///< energy per mass
    double energy;   ///< per mass
};

/// Sets a block to `convection` times the Jacobian of the convective flux along an axis, and `diffusion`
/// times that of the viscous and heat fluxes, without cross derivatives, and of the artificial diffusion.
void find_jacobians(int axis, double convection, double diffusion, const PointState& at, Block& block);

}  // namespace linkworth::npb::flow
