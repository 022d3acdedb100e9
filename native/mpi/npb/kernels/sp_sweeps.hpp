// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "../flow/field.hpp"
#include "sp_elimination.hpp"

/// Sweeps of SP's line solves through one cell, for a bundle of lines. A cell's lines start where those of
/// the cell before it ended: the two points before (after) the cell take part in its elimination
/// (substitution). `state` has ghosts, `changes` has none.
namespace linkworth::npb::sp {

/// A line's part in one cell: points 0 to points - 1; the ends of the whole grid are no unknowns.
struct Extent {
    int points;
    bool starts, ends;  ///< with this cell

    int first() const { return starts ? 1 : 0; }
    int last() const { return ends ? points - 2 : points - 1; }
    int inner() const { return last() - first() + 1; }
    bool edge(int point) const { return (starts && point == 1) || (ends && point == points - 2); }
};

inline int whole_vectors(int points) {
    return (points + static_cast<int>(kLanes) - 1) / static_cast<int>(kLanes);
}

/// Neighbouring lines that are solved together. Along x: `count` <= kLanes of them, from (y, z) = (first,
/// section) on, one a lane. Along y (z): those of `count` vectors of a row from vector `first` on, in plane z
/// (in the rows y) = section.
struct Bundle {
    int section, first, count;
};

/// What is kept of a bundle, for points -2 to two after the line: `width` vectors side by side.
class Kept {
  public:
    static std::size_t size(int points, int width) {
        return static_cast<std::size_t>(static_cast<int>(kLanes) * whole_vectors(points) + 4) *
               static_cast<std::size_t>(width);
    }
    Kept(Points* storage, int width) : points_(storage), width_(width) {}

    int width() const { return width_; }
    Points* at(int point) const { return points_ + (point + 2) * width_; }

  private:
    Points* points_;
    int width_;
};

/// As many Speeds as a sweep needs for itself.
inline std::size_t scratch_size(int longest_side) {
    return static_cast<std::size_t>(longest_side) + 2 + kLanes;
}

/// Makes the changes characteristic (along y and z: those of the direction before) and eliminates, given the
/// two points before the first.
void eliminate_along_x(const flow::Field& state, const flow::Field& changes, const Bundle& bundle,
                       const Extent& extent, const StepFactors& factors, Kept kept, Speeds* scratch);
void eliminate_along_y(const flow::Field& state, const flow::Field& changes, const Bundle& bundle,
                       const Extent& extent, const StepFactors& factors, Kept kept, Speeds* scratch);
void eliminate_along_z(const flow::Field& state, const flow::Field& changes, const Bundle& bundle,
                       const Extent& extent, const StepFactors& factors, Kept kept, Speeds* scratch);

/// Substitutes back, given the two points after the last, and stores the changes; along z, adds them to the
/// state.
void substitute_along_x(Kept kept, const Bundle& bundle, const Extent& extent, flow::Field& changes);
void substitute_along_y(Kept kept, const Bundle& bundle, const Extent& extent, flow::Field& changes);
void substitute_along_z(Kept kept, const Bundle& bundle, const Extent& extent, flow::Field& state);

}  // namespace linkworth::npb::sp
