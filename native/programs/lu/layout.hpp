// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "reference.hpp"

namespace linkworth::npb::lu {

/// Indices [first, first + count) along an axis.
struct Range {
    int first, count;
    int end() const { return first + count; }
};

/// Sides of a pencil, beyond which there is a neighbour or the boundary.
enum Side { low_x, high_x, low_y, high_y };
inline constexpr int kSides = 4;
constexpr Side opposite(Side side) { return static_cast<Side>(side ^ 1); }
constexpr bool across_x(Side side) { return side == low_x || side == high_x; }

/// A grid of ranks, as square as their number allows, cuts x and y into pencils along z. Consecutive ranks
/// are neighbours along its longer side, as in NPB 3.4. That side cuts y here: rank r is at (r / down, r %
/// down). If a grid of points does not divide, the first pencils get one line more.
class Layout {
  public:
    /// Fewest lines of a pencil in x and in y: the reach of the dissipation and a point of its own.
    static constexpr int kFewestLines = 3;

    Layout(const Class& problem, int rank, int ranks)
        : points_(problem.points), across_(narrow_side(ranks)), down_(ranks / across_), rank_(rank) {}

    int points() const { return points_; }
    /// This rank's points, boundary included.
    Range own_x() const { return part(across_, rank_ / down_); }
    Range own_y() const { return part(down_, rank_ % down_); }
    /// Parts of these that are inside the grid.
    Range inner_x() const { return inside(own_x()); }
    Range inner_y() const { return inside(own_y()); }

    bool has_neighbour(Side side) const {
        switch (side) {
            case low_x: return rank_ / down_ > 0;
            case high_x: return rank_ / down_ < across_ - 1;
            case low_y: return rank_ % down_ > 0;
            default: return rank_ % down_ < down_ - 1;
        }
    }
    int neighbour(Side side) const {
        const int step = across_x(side) ? down_ : 1;
        return side == high_x || side == high_y ? rank_ + step : rank_ - step;
    }

    /// The volume of the surface integral is between its faces 0 and 1 along an axis, at these points.
    int face_position(int axis, int face) const {
        if (face == 0) return axis == 2 ? 2 : 1;
        return axis == 1 ? points_ - 3 : points_ - 2;
    }
    /// Returns whether a part of the face is on this rank's points.
    bool has_face(int axis, int face) const {
        if (axis == 2) return true;
        const Range own = axis == 0 ? own_x() : own_y();
        const int position = face_position(axis, face);
        return own.first <= position && position < own.end();
    }

    bool fits() const { return points_ / std::max(across_, down_) >= kFewestLines; }

  private:
    /// The largest divisor that is not above the square root.
    static int narrow_side(int ranks) {
        int side = 1;
        for (int divisor = 2; divisor <= ranks / divisor; ++divisor)
            if (ranks % divisor == 0) side = divisor;
        return side;
    }
    Range part(int parts, int index) const {
        const int each = points_ / parts, rest = points_ % parts;
        return {index * each + std::min(index, rest), each + (index < rest ? 1 : 0)};
    }
    Range inside(Range own) const {
        const int first = std::max(own.first, 1), end = std::min(own.end(), points_ - 1);
        return {first, end - first};
    }

    int points_, across_, down_, rank_;
};

/// Returns an empty text if the class runs on this many ranks, else one sentence with the counts that work.
inline std::string rank_problem(const Class& problem, int ranks) {
    if (Layout(problem, 0, ranks).fits()) return {};
    return "lu class " + std::string(1, problem.letter) + " runs on products of two numbers from 1 to " +
           std::to_string(problem.points / Layout::kFewestLines) + ", so that each rank has " +
           std::to_string(Layout::kFewestLines) + " or more lines in x and y, not on " +
           std::to_string(ranks);
}

}  // namespace linkworth::npb::lu
