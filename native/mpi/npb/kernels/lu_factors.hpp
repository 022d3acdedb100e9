// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "../huge_array.hpp"
#include "lu_skew.hpp"

namespace linkworth::npb::lu {

/// The two systems of a step: the lower one goes up through x, y and z, the upper one down.
enum class Sweep { lower, upper };

/// Factors of a point's own and its neighbours' values in second differences and dissipation, at -2, -1, 0, 1
/// and 2 along an axis.
class StencilFactors {
  public:
    explicit StencilFactors(const Skew& skew);

    /// Of an inner step and of an inner block, one vector each; of a plane.
    const Lanes* along_x(int step) const {
        return reinterpret_cast<const Lanes*>(x_.data()) + x_entry(step) * 5;
    }
    const Lanes* along_y(int block) const { return reinterpret_cast<const Lanes*>(y_.data()) + block * 5; }
    std::array<double, 5> along_z(int plane) const { return of_point(2, plane); }

  private:
    int x_entry(int step) const {
        return step < head_ ? step : step < tail_ ? head_ : step - tail_ + head_ + 1;
    }
    std::array<double, 5> of_point(int axis, int index) const;
    /// Of a lane at an inner coordinate along x or y; harmless outside.
    std::array<double, 5> of_lane(int axis, const Range& inner, int index) const;

    int points_;
    int head_, tail_;  ///< steps between them see no boundary, and share an entry
    HugeArray<double> x_, y_;
};

/// Constants of the block triangular systems.
struct BlockFactors {
    BlockFactors(int points, double time_step, double relaxation);

    double time_step;
    double update;  ///< of u, by the upper system's solution
    // A neighbour's block, with the relaxation: first differences of convection, second of diffusion and of
    // viscosity.
    double convection, diffusion, extra_diffusion_z, viscosity, viscosity_along, heat;
    // The diagonal block.
    double diagonal, inverse_diagonal, diagonal_viscosity, diagonal_heat;
};

/// Which lanes are inner points: 1 there, 0 in padding.
class InsideLanes {
  public:
    explicit InsideLanes(const Skew& skew);

    /// Along x at an inner step, times along y in an inner block.
    Lanes operator()(int step, int block) const {
        return reinterpret_cast<const Lanes*>(x_.data())[step] *
               reinterpret_cast<const Lanes*>(y_.data())[block];
    }

  private:
    HugeArray<double> x_, y_;
};

}  // namespace linkworth::npb::lu
