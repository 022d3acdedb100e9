// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "model.hpp"
#include "state.hpp"

namespace linkworth::npb::stencil {

/// Heating of each column by radiation in spectral bands, from the ground and its layers up and down, and
/// from the sun: two streams without scattering, absorbed by water. A column gains the heat that enters at
/// its ends.
class Radiation {
  public:
    Radiation(const Problem& problem, const Model& model, const Piece& piece, const State& state);
    void radiate(State& state, int iteration);
    /// Heat that came in since the start.
    double gained() const { return gained_; }

  private:
    /// Columns are side by side in vectors, with a layer's values of them stored together.
    static constexpr std::size_t kColumns = 32;
    using Row = std::array<double, kColumns>;

    void load(const State& state, std::int64_t first, std::int64_t count, double hour_angle);
    void add_band(std::size_t band);
    void heat(State& state, std::int64_t first, std::int64_t count);

    const Model model_;
    std::int64_t nx_global_;
    Range x_;
    std::size_t nz_, bands_;
    double heating_;  ///< thickness times buoyancy for a flux of 1 W/m^2 from one call to the next
    std::vector<Row> absorber_, planck_, passed_;
    std::vector<Row> upward_;  ///< net flux through the ground, between the layers and at the top, W/m^2
    Row sun_;
    double gained_ = 0.0;
};

}  // namespace linkworth::npb::stencil
