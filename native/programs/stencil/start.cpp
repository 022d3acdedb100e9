// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "kernel.hpp"

namespace linkworth::npb::stencil {

ColumnKernel::ColumnKernel(const Problem& problem, int rank, int ranks, std::FILE* file)
    : problem_(problem),
      grid_(problem, ranks),
      rank_(rank),
      ranks_(ranks),
      piece_(grid_.piece(rank)),
      model_(problem),
      state_(piece_, problem.nz),
      flow_(problem, model_, state_),
      physics_(problem, model_),
      radiation_(problem, model_, piece_, state_),
      file_(file) {
    for (const Side side : kSides) {
        const Box box = inside(side);
        const auto values =
            static_cast<std::size_t>((box.x_end - box.x) * (box.y_end - box.y) * kFields * problem.nz);
        halos_[index(side)] = {HugeArray<double>(values), HugeArray<double>(values)};
    }
    if (problem.output_every > 0) {
        output_piece_ = HugeArray<double>(static_cast<std::size_t>(piece_.points(problem.nz)));
        if (rank == 0)
            for (HugeArray<double>* whole : {&output_pieces_, &output_field_})
                *whole = HugeArray<double>(static_cast<std::size_t>(problem.nx * problem.ny * problem.nz));
    }
}

/// A jet with waves, warm and moist spots that lean with height; the halo and the filling above the top at
/// rest.
void ColumnKernel::start() {
    constexpr double kTurn = 2.0 * std::numbers::pi;
    const std::size_t levels = state_.levels();
    for (std::int64_t y = -1; y <= piece_.y.count; ++y)
        for (std::int64_t x = -1; x <= piece_.x.count; ++x) {
            double* const column = state_.column(y, x);
            const double a = kTurn * (static_cast<double>(piece_.x.first + x) + 0.5) / problem_.nx;
            const double b = kTurn * (static_cast<double>(piece_.y.first + y) + 0.5) / problem_.ny;
            for (std::size_t k = 0; k < levels; ++k) {
                double h = model_.layer_depth, u = 0.0, v = 0.0, temperature = kSurfaceTemperature, q = 0.0;
                if (k < static_cast<std::size_t>(problem_.nz)) {
                    const double z = (static_cast<double>(k) + 0.5) / static_cast<double>(problem_.nz);
                    h *= 1.0 + 0.02 * std::sin(a + 3.0 * z) * std::cos(2.0 * b);
                    u = 8.0 + 8.0 * z * std::sin(b);
                    v = 4.0 * std::cos(2.0 * a + b);
                    temperature += -60.0 * z + 3.0 * std::cos(a) * std::sin(b + 2.0 * z);
                    const double moist = std::sin(2.0 * a - z) * std::sin(3.0 * b);
                    q = (0.6 + 0.5 * moist * moist) * saturation_times_pressure(temperature) /
                        model_.pressure(static_cast<std::int64_t>(k));
                }
                column[kThickness * levels + k] = h;
                column[kMomentumX * levels + k] = h * u;
                column[kMomentumY * levels + k] = h * v;
                column[kHeat * levels + k] = h * temperature / model_.kelvin;
                column[kWater * levels + k] = h * q;
            }
        }
}

Totals ColumnKernel::totals() const {
    Totals sums{};
    const std::size_t levels = state_.levels();
    for (std::int64_t y = 0; y < piece_.y.count; ++y)
        for (std::int64_t x = 0; x < piece_.x.count; ++x) {
            Totals of_column{};
            const double* const column = state_.column(y, x);
            for (std::size_t k = 0; k < static_cast<std::size_t>(problem_.nz); ++k) {
                const double h = column[kThickness * levels + k];
                const double momentum_x_here = column[kMomentumX * levels + k];
                const double momentum_y_here = column[kMomentumY * levels + k];
                of_column[mass] += h;
                of_column[momentum_x] += momentum_x_here;
                of_column[momentum_y] += momentum_y_here;
                of_column[heat] += column[kHeat * levels + k];
                of_column[water] += column[kWater * levels + k];
                of_column[kinetic_energy] +=
                    0.5 * (momentum_x_here * momentum_x_here + momentum_y_here * momentum_y_here) / h;
            }
            for (std::size_t i = 0; i < kTotals; ++i) sums[i] += of_column[i];
        }
    sums[rain] = flow_.rain();
    sums[radiation] = radiation_.gained();
    return sums;
}

}  // namespace linkworth::npb::stencil
