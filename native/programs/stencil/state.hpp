// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "../common/huge_array.hpp"
#include "../common/simd_block.hpp"
#include "stencil.hpp"

namespace linkworth::npb::stencil {

/// A field's place in a column: thickness h, and h times velocities, buoyancy and water.
enum Field : std::size_t { kThickness, kMomentumX, kMomentumY, kHeat, kWater };

/// Fields of a rank's columns and of a halo one column wide. A column stores field after field, each from the
/// ground up and filled to whole vectors. So neighbours' layers are at the same lanes however narrow the
/// piece is.
class State {
  public:
    State(const Piece& piece, std::int64_t layers)
        : nx_(piece.x.count),
          ny_(piece.y.count),
          nz_(layers),
          levels_((static_cast<std::size_t>(layers) + kLanes - 1) / kLanes * kLanes),
          columns_(static_cast<std::size_t>((nx_ + 2) * (ny_ + 2)) * kFields * levels_) {}

    std::int64_t nx() const { return nx_; }
    std::int64_t ny() const { return ny_; }
    std::int64_t nz() const { return nz_; }
    /// Layers with the filling: a multiple of the lanes.
    std::size_t levels() const { return levels_; }
    std::size_t column_size() const { return kFields * levels_; }
    /// Indices go from -1 to nx and ny, because they include the halo.
    double* column(std::int64_t y, std::int64_t x) { return columns_.data() + offset(y, x); }
    const double* column(std::int64_t y, std::int64_t x) const { return columns_.data() + offset(y, x); }

  private:
    std::size_t offset(std::int64_t y, std::int64_t x) const {
        return static_cast<std::size_t>((y + 1) * (nx_ + 2) + x + 1) * kFields * levels_;
    }

    std::int64_t nx_, ny_, nz_;
    std::size_t levels_;
    HugeArray<double> columns_;
};

}  // namespace linkworth::npb::stencil
