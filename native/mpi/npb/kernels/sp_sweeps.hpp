// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "../flow/field.hpp"
#include "sp_elimination.hpp"

/// Sweeps of SP's line solves over one cell. A cell's lines start where those of the cell before it ended:
/// rows and values of the two points before (after) the cell take part in its elimination (substitution).
/// `state` has ghosts, `changes` has none.
namespace linkworth::npb::sp {

/// A line's part in one cell: points 0 to points - 1; the ends of the whole grid are no unknowns.
struct Extent {
    int points;
    bool starts, ends;  ///< with this cell

    int first() const { return starts ? 1 : 0; }
    int last() const { return ends ? points - 2 : points - 1; }
    bool edge(int point) const { return (starts && point == 1) || (ends && point == points - 2); }
};

inline int whole_vectors(int points) {
    return (points + static_cast<int>(kLanes) - 1) / static_cast<int>(kLanes);
}

/// What is kept of kLanes lines along x, neighbours in y, between elimination and substitution; lane = line.
class LinesAlongX {
  public:
    static std::size_t vectors(int points) {
        return static_cast<std::size_t>(6 * (points + 2) +
                                        5 * (static_cast<int>(kLanes) * whole_vectors(points) + 4));
    }
    LinesAlongX(Lanes* storage, int points)
        : rows_(reinterpret_cast<Row*>(storage)),
          values_(reinterpret_cast<Five*>(storage + 6 * (points + 2))) {}

    /// Points from -2 on.
    Row& row(int point) { return rows_[point + 2]; }
    /// Points from -2 to two after the line.
    Five& value(int point) { return values_[point + 2]; }

  private:
    Row* rows_;
    Five* values_;
};

/// What is kept of all lines along y in a plane, or of those along z with the same y, between elimination and
/// substitution, except the values in the cell, which stay in the field; lane = x.
class Sheet {
  public:
    /// `row_vectors`: vectors of a row of the field, `row_blocks`: those of them with points.
    static std::size_t vectors(int points, int row_vectors, int row_blocks) {
        return static_cast<std::size_t>(6 * (points + 2) * row_blocks + 4 * 5 * row_vectors);
    }
    Sheet(Lanes* storage, const flow::Field& changes)
        : component_(changes.row_stride()),
          row_blocks_(changes.row_blocks()),
          edges_(reinterpret_cast<double*>(storage)),
          rows_(reinterpret_cast<Row*>(edges_ + 4 * 5 * component_)) {}

    /// A Row for each vector, points from -2 on.
    Row* rows(int point) { return rows_ + (point + 2) * row_blocks_; }
    /// Values at points -2 and -1, in rows as in the field.
    double* before(int point) { return edges_ + (point + 2) * 5 * component_; }
    /// Values at the points after the last, from 0.
    double* after(int point) { return edges_ + (point + 2) * 5 * component_; }

    /// Nothing lies before the lines (and the first point is no unknown).
    void start() {
        std::fill_n(edges_, 2 * 5 * component_, 0.0);
        std::fill_n(rows_, 3 * row_blocks_, Row{});
    }
    /// Nothing lies after the lines.
    void end() { std::fill_n(edges_ + 2 * 5 * component_, 2 * 5 * component_, 0.0); }

  private:
    std::ptrdiff_t component_;
    int row_blocks_;
    double* edges_;
    Row* rows_;
};

/// Takes the changes of `count` <= kLanes lines along x, from (y, z) on, makes them characteristic and
/// eliminates. `scratch`: one Speeds for each point of whole vectors, and two more.
void eliminate_along_x(const flow::Field& state, const flow::Field& changes, int y, int z, int count,
                       const Extent& extent, const StepFactors& factors, LinesAlongX lines, Speeds* scratch);
/// Substitutes back and stores the characteristic changes along x.
void substitute_along_x(LinesAlongX lines, const Extent& extent, flow::Field& changes, int y, int z,
                        int count);

/// Turn the characteristic changes along x (y) into those along y (z) and eliminate. `scratch`: three Speeds
/// for each vector of a row.
void eliminate_along_y(const flow::Field& state, flow::Field& changes, int z, const Extent& extent,
                       const StepFactors& factors, Sheet sheet, Speeds* scratch);
void eliminate_along_z(const flow::Field& state, flow::Field& changes, int y, const Extent& extent,
                       const StepFactors& factors, Sheet sheet, Speeds* scratch);
/// Substitutes back, in place.
void substitute_along_y(flow::Field& changes, int z, const Extent& extent, Sheet sheet);
/// As along y, and adds the changes to the state.
void substitute_along_z(flow::Field& state, flow::Field& changes, int y, const Extent& extent, Sheet sheet);

}  // namespace linkworth::npb::sp
