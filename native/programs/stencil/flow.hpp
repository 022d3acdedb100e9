// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../common/huge_array.hpp"
#include "model.hpp"
#include "state.hpp"

namespace linkworth::npb::stencil {

/// One time step of all columns, in place: advection and pressure by Rusanov's and upwind fluxes, diffusion,
/// exchange between layers, Coriolis' force, and rain with its latent heat. A flux that leaves a column
/// through a face enters the next, so that sums over the domain are kept to rounding.
class Flow {
  public:
    Flow(const Problem& problem, const Model& model, const State& state);
    void advance(State& state);
    /// Water that fell since the start.
    double rain() const;

  private:
    static constexpr std::size_t kPrimitives = 7;
    /// Columns advanced together, so that their velocities and fluxes stay in the second-level cache.
    static constexpr std::int64_t kTile = 32;

    void advance_tile(State& state, std::int64_t first, std::int64_t last);
    void primitives_of_row(const State& state, std::int64_t y, std::int64_t first, std::int64_t from,
                           std::int64_t to, double* row) const;
    void update(double* column, const double* primitives, const double* west, const double* east,
                const double* south, const double* north);

    const Model model_;
    std::size_t levels_;
    std::int64_t nz_;
    HugeArray<double> primitives_;    ///< of two rows of a tile
    HugeArray<double> y_fluxes_;      ///< of two rows of faces
    HugeArray<double> x_fluxes_;      ///< of two faces
    HugeArray<double> edges_;         ///< through the face between two tiles, of each row
    std::vector<double> up_, down_;   ///< mixing with the layer above and below; 0 at the ends
    std::vector<double> per_pascal_;  ///< 1 / pressure of each layer
    std::vector<double> rain_;        ///< of each layer
};

}  // namespace linkworth::npb::stencil
