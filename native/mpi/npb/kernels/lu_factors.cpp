// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "lu_factors.hpp"

#include <algorithm>

namespace linkworth::npb::lu {

StencilFactors::StencilFactors(const Skew& skew)
    : points_(skew.points()),
      head_(kWidth + 1),
      tail_(skew.x().count - flow::kReach),
      y_(static_cast<std::size_t>(skew.inner_blocks()) * 5 * kLanes) {
    if (tail_ <= head_) head_ = tail_ = skew.inner_steps();
    const int entries = skew.inner_steps() - tail_ + head_ + 1;
    x_ = HugeArray<double>(static_cast<std::size_t>(entries) * 5 * kLanes);
    for (int step = 0; step < skew.inner_steps(); ++step)
        for (int lane = 0; lane < kWidth; ++lane) {
            const std::array<double, 5> own = of_lane(0, skew.x(), skew.x_of(step, lane));
            for (int t = 0; t < 5; ++t) x_[(x_entry(step) * 5 + t) * kWidth + lane] = own[t];
        }
    for (int block = 0; block < skew.inner_blocks(); ++block)
        for (int lane = 0; lane < kWidth; ++lane) {
            const std::array<double, 5> own = of_lane(1, skew.y(), skew.y_of(block, lane));
            for (int t = 0; t < 5; ++t) y_[(block * 5 + t) * kWidth + lane] = own[t];
        }
}

std::array<double, 5> StencilFactors::of_point(int axis, int index) const {
    const double diffusion = flow::kDiffusion[axis] * flow::differences(points_).second;
    std::array<double, 5> factors = flow::fourth_difference(index, points_);
    for (double& factor : factors) factor *= -flow::kDissipation;
    factors[1] += diffusion;
    factors[2] -= 2.0 * diffusion;
    factors[3] += diffusion;
    return factors;
}

std::array<double, 5> StencilFactors::of_lane(int axis, const Range& inner, int index) const {
    return of_point(axis, inner.first + std::clamp(index, 0, inner.count - 1));
}

BlockFactors::BlockFactors(int points, double step, double relaxation)
    : time_step(step), update(1.0 / (relaxation * (2.0 - relaxation))) {
    const flow::Differences difference = flow::differences(points);
    const auto& d = flow::kDiffusion;
    static_assert(flow::kDiffusion[0] == flow::kDiffusion[1]);
    const double second = relaxation * step * difference.second;
    convection = relaxation * step * difference.first;
    diffusion = second * d[0];
    extra_diffusion_z = second * (d[2] - d[0]);
    viscosity = second * flow::kViscosity;
    viscosity_along = viscosity / 3.0;
    heat = second * flow::kConduction;

    const double twice = 2.0 * step * difference.second;
    diagonal = 1.0 + twice * (d[0] + d[1] + d[2]);
    inverse_diagonal = 1.0 / diagonal;
    diagonal_viscosity = twice * flow::kViscosity * (1.0 + 1.0 + 4.0 / 3.0);
    diagonal_heat = twice * flow::kConduction * 3.0;
}

InsideLanes::InsideLanes(const Skew& skew)
    : x_(static_cast<std::size_t>(skew.inner_steps()) * kLanes),
      y_(static_cast<std::size_t>(skew.inner_blocks()) * kLanes) {
    const auto inside = [](const Range& range, int index) {
        return index >= 0 && index < range.count ? 1.0 : 0.0;
    };
    for (int lane = 0; lane < kWidth; ++lane) {
        for (int step = 0; step < skew.inner_steps(); ++step)
            x_[step * kWidth + lane] = inside(skew.x(), skew.x_of(step, lane));
        for (int block = 0; block < skew.inner_blocks(); ++block)
            y_[block * kWidth + lane] = inside(skew.y(), skew.y_of(block, lane));
    }
}

}  // namespace linkworth::npb::lu
