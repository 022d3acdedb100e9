// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "reference.hpp"

namespace linkworth::npb::mg {

inline constexpr int kAxes = 3;  // x, y, z
/// Directions along an axis.
inline constexpr int kLower = 0, kUpper = 1;

/// One value per axis.
using Triple = std::array<std::int64_t, kAxes>;

/// Layout of the grids on the ranks. Level l has 2^l points a dimension and level 1 is the coarsest. The
/// ranks form a grid of their own, x fastest, cut along z, then y, then x, and again. Each owns a box of
/// every level.
///
/// Point J of a level is point 2J + 1 of the next finer one. If a level has fewer points along an axis than
/// there are ranks, the ranks that own a point of it (the upper one of each pair, of each four, ...) go on
/// with one point each. The others rest until the next finer level that they have a point of.
class Layout {
  public:
    Layout(const Class& problem, int rank, int ranks) : levels_(problem.levels), ranks_(ranks) {
        const int log2_ranks = std::countr_zero(static_cast<unsigned>(ranks));
        for (int axis = 0; axis < kAxes; ++axis) {
            parts_[axis] = 1 << ((log2_ranks + axis) / kAxes);
            coordinate_[axis] = rank % parts_[axis];
            rank /= parts_[axis];
        }
    }

    int levels() const { return levels_; }
    int ranks() const { return ranks_; }

    /// Points of this rank's box along each axis (of a resting rank: as if it were active).
    Triple extents(int level) const {
        Triple result;
        for (int axis = 0; axis < kAxes; ++axis)
            result[axis] = std::max<std::int64_t>(1, points(level) / parts_[axis]);
        return result;
    }
    /// Index of the first point of the finest level's box in the whole grid.
    Triple first_point() const {
        Triple result = extents(levels_);
        for (int axis = 0; axis < kAxes; ++axis) result[axis] *= coordinate_[axis];
        return result;
    }
    bool active(int level) const { return holds(level, 0) && holds(level, 1) && holds(level, 2); }
    /// World rank of the next active rank along the axis.
    int neighbour(int level, int axis, int direction) const {
        std::array<int, kAxes> at = coordinate_;
        const int distance = stride(level, axis);
        at[axis] = (at[axis] + (direction == kUpper ? distance : parts_[axis] - distance)) % parts_[axis];
        return at[0] + parts_[0] * (at[1] + parts_[1] * at[2]);
    }
    /// Returns whether this rank's first point along the axis is an odd one of the whole level, and so a
    /// point of the next coarser level too. Happens only if a rank has one point.
    bool starts_odd(int level, int axis) const {
        return extents(level)[axis] == 1 && (coordinate_[axis] / stride(level, axis)) % 2 == 1;
    }

    /// Elements of a message between neighbours: the face of the box, with the ghost points of earlier axes.
    std::size_t face(int level, int axis) const {
        const Triple n = extents(level);
        const std::int64_t faces[kAxes] = {n[1] * n[2], (n[0] + 2) * n[2], (n[0] + 2) * (n[1] + 2)};
        return static_cast<std::size_t>(faces[axis]);
    }
    /// Elements that a receive may take: room for two of the largest faces that a box of these extents can
    /// have.
    std::size_t receive_size() const {
        const Triple n = extents(levels_);
        const auto side = static_cast<std::size_t>(std::max({n[0], n[1], n[2]}) + 2);
        return 2 * side * side;
    }

    /// Role of a rank in bringing a level's points to the ranks that rest on it and work on the next finer
    /// one.
    enum class Role { none, give, take };

    /// Axis after axis: ranks that rest along a later axis have nothing to give yet and take nothing yet.
    Role role(int level, int axis) const {
        if (stride(level, axis) == stride(level + 1, axis) || !active(level + 1)) return Role::none;
        for (int later = axis + 1; later < kAxes; ++later)
            if (!holds(level, later)) return Role::none;
        return holds(level, axis) ? Role::give : Role::take;
    }
    /// Elements of such a message: a plane across the axis with all its ghost points.
    std::size_t plane(int level, int axis) const {
        const Triple n = extents(level);
        return static_cast<std::size_t>((n[(axis + 1) % kAxes] + 2) * (n[(axis + 2) % kAxes] + 2));
    }

  private:
    static std::int64_t points(int level) { return std::int64_t{1} << level; }
    /// Distance between active ranks.
    int stride(int level, int axis) const {
        return static_cast<int>(std::max<std::int64_t>(1, parts_[axis] / points(level)));
    }
    bool holds(int level, int axis) const { return (coordinate_[axis] + 1) % stride(level, axis) == 0; }

    int levels_, ranks_;
    std::array<int, kAxes> parts_, coordinate_;
};

}  // namespace linkworth::npb::mg
