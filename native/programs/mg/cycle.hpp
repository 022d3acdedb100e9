// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "charges.hpp"
#include "mg.hpp"

namespace linkworth::npb::mg {

/// One rank's box of a level with a layer of ghosts around it, all zero at first. x runs fastest, points -1
/// and extent are ghosts.
class Grid {
  public:
    Grid() = default;
    explicit Grid(const Triple& extent)
        : extent_(extent),
          values_(static_cast<std::size_t>((extent[0] + 2) * (extent[1] + 2) * (extent[2] + 2))) {}

    const Triple& extent() const { return extent_; }
    double* row(std::int64_t y, std::int64_t z) { return values_.data() + offset(y, z); }
    const double* row(std::int64_t y, std::int64_t z) const { return values_.data() + offset(y, z); }
    void clear() { std::fill(values_.begin(), values_.end(), 0.0); }

  private:
    /// Returns the offset of point (0, y, z).
    std::int64_t offset(std::int64_t y, std::int64_t z) const {
        return ((z + 1) * (extent_[1] + 2) + y + 1) * (extent_[0] + 2) + 1;
    }

    Triple extent_{};
    std::vector<double> values_;
};

/// The boxes of one rank and the arithmetic of V-cycles on them. The concept describes each function.
class CycleKernel {
  public:
    CycleKernel(const Class& problem, const Layout& layout, int rank);

    void start();
    double candidate(Charge kind) const { return search_->candidate(kind); }
    Place claim(Charge kind, double value) { return search_->claim(kind, value); }
    void put(Charge kind, const Place& place);

    void clear(int level) { solution(level).clear(); }
    void residual(int level);
    Norm norm() const;
    void restrict_residual(int level);
    void interpolate(int level);
    void smooth(int level);

    const double* outgoing(Field field, int level, int axis, int direction);
    double* incoming(int direction) { return incoming_[direction].data(); }
    void take(Field field, int level, int axis);
    void wrap(Field field, int level);
    const double* outgoing_plane(int level, int axis);
    void take_planes(int level, int axis);

  private:
    Grid& solution(int level) { return solutions_[static_cast<std::size_t>(level)]; }
    Grid& residuals(int level) { return residuals_[static_cast<std::size_t>(level)]; }
    Grid& grid(Field field, int level) {
        if (field == Field::charges) return charges_;
        return field == Field::solution ? solution(level) : residuals(level);
    }

    Class problem_;
    Layout layout_;
    int rank_;
    std::optional<ChargeSearch> search_;
    Grid charges_;
    std::vector<Grid> solutions_, residuals_;  ///< by level, from 1
    std::vector<double> outgoing_, incoming_[2];
};

}  // namespace linkworth::npb::mg
