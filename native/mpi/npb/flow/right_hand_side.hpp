// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "../huge_array.hpp"
#include "field.hpp"

namespace linkworth::npb::flow {

/// The right-hand side of the flow solvers on one box after the other: central differences of the fluxes of
/// convection, viscosity and heat along the three axes, plus the fourth-order dissipation (RNR-94-007,
/// chapter 3). One pass over memory: what fluxes are made of is worked out once a point, for three planes of
/// a strip of rows at a time, which stay in cache.
class RightHandSide {
  public:
    /// `points`: of the whole grid along each axis.
    explicit RightHandSide(int points);

    /// result = scale (difference operator of u + forcing) at the grid's inner points in the box, zero at its
    /// boundary points and in the rows' padding. `u` has kReach ghosts, `result` and `forcing` none;
    /// `forcing` may be null for none, and `result` may be `forcing`. `speed`, if not null, is a field of one
    /// component with one ghost or more, that gets the speed of sound at the box's points and those beside
    /// its faces.
    void operator()(const Box& box, const Field& u, const Field* forcing, double scale, Field& result,
                    Field* speed = nullptr);

  private:
    /// For the vector at each point: factors of the values at -2, -1, 0, 1, 2 along x.
    void prepare_x(const Box& box, int blocks);
    void derive_rows(const Box& box, const Field& u, int z, int y_first, int y_last, Field* speed);
    void finish_row(const Box& box, const Field& u, const Field* forcing, double scale, Field& result, int y,
                    int z, int y_first);

    double* derived(int z, int row) {
        return derived_.data() + ((z + 3) % 3 * derived_rows_ + row) * derived_row_;
    }

    int points_;
    std::array<std::vector<std::array<double, 5>>, 3> factors_;  ///< [axis][index]
    HugeArray<double> x_factors_;
    HugeArray<double> derived_;
    std::ptrdiff_t derived_stride_ = 0;  ///< between quantities of a row
    std::ptrdiff_t derived_row_ = 0;     ///< between rows
    int derived_rows_ = 0;
};

}  // namespace linkworth::npb::flow
