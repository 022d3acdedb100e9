// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "field.hpp"

namespace linkworth::npb::flow {

/// Quantities that the fluxes are made of, each a component of a field.
enum Derived { kInverseDensity, kVelocity, kKinetic = kVelocity + 3, kDerived };

/// Returns a field for them, of a box of that size and one more point on each side. `kKinetic` is energy per
/// volume.
Field derived_field(const std::array<int, 3>& size);

/// All points of a box of that size and one more on each side.
Points with_ghosts(const std::array<int, 3>& size);

/// Calls use(x, y, z) for each point, in the order of memory.
template <class Use>
void for_each_point(const Points& points, Use&& use) {
    for (int z = points.first[2]; z < points.last[2]; ++z)
        for (int y = points.first[1]; y < points.last[1]; ++y)
            for (int x = points.first[0]; x < points.last[0]; ++x) use(x, y, z);
}

/// Sets the derived quantities of a field with ghosts.
void derive(const Field& u, Field& derived);

/// result = scale (difference operator of u + forcing) at the inner points of a box, and zero at the grid's
/// boundary: central differences of the fluxes of convection, viscosity and heat along the three axes, plus
/// the fourth-order dissipation (RNR-94-007, chapter 3). `points` is the grid's number along each axis. `u`
/// has kReach ghosts. `forcing` has none, and may be null.
void find_right_hand_side(const Box& box, int points, const Field& u, const Field& derived,
                          const Field* forcing, double scale, Field& result);

}  // namespace linkworth::npb::flow
