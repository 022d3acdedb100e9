// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "model.hpp"
#include "state.hpp"

namespace linkworth::npb::stencil {

/// Turbulence in columns: velocities, buoyancy and water diffuse between the layers. They diffuse more with
/// stronger shear and weaker moist stability (Louis, A parametric model of vertical eddy fluxes in the
/// atmosphere, Boundary-Layer Meteorol. 17, 1979). Each step is implicit, and sums over a column are kept to
/// rounding. It computes about 100 floating point operations per point and step.
class Physics {
  public:
    Physics(const Problem& problem, const Model& model);
    /// All steps of an iteration.
    void mix(State& state);

  private:
    static constexpr std::size_t kMixed = 4;  ///< fields that mix: all but the thickness

    void load(const double* column, std::size_t levels);
    void find_exchange();
    void diffuse();

    const Model model_;
    int steps_;
    double time_step_;
    std::size_t nz_;
    std::vector<double> per_pascal_;                  ///< 1 / pressure of each layer
    std::vector<double> thickness_;                   ///< of each layer
    std::vector<double> exchange_;                    ///< through the face above each layer, m a step
    std::vector<double> ratio_;                       ///< of the elimination
    std::array<std::vector<double>, kMixed> amount_;  ///< of each layer: thickness times value
    std::array<std::vector<double>, kMixed> value_;   ///< per thickness
};

}  // namespace linkworth::npb::stencil
