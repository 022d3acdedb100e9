// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "model.hpp"

namespace linkworth::npb::flow {

/// The multi-partition of BT and SP (NAS-95-020): the cube is cut into q x q x q cells for q x q ranks. Each
/// rank has q cells, no two in the same slab of any axis. A sweep along an axis thus keeps every rank busy in
/// every slab, and a rank's neighbour along an axis is the same rank for all of its cells.
///
/// The rank in row r and column c of the square has the cells (c + s, r - s, s) modulo q, s = 0 ... q-1: cell
/// number s. If q does not divide the grid, cells differ by one point; the first ones are longer.
class MultiPartition {
  public:
    MultiPartition(int points, int rank, int ranks)
        : points_(points), side_(root(ranks)), row_(rank / side_), column_(rank % side_) {
        for (int axis = 0; axis < 3; ++axis)
            shared_[axis] = {count_shared_points(axis, -1), count_shared_points(axis, 1)};
    }

    /// The whole number whose square is `ranks`, or 0.
    static int root(int ranks) {
        const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(ranks))));
        return static_cast<std::int64_t>(side) * side == ranks ? side : 0;
    }

    /// Points of the grid along each axis.
    int points() const { return points_; }
    /// Number of cells of this rank, and of slabs of cells along each axis.
    int cells() const { return side_; }
    /// Returns the slab of the axis in which a cell of this rank lies.
    int slab(int cell, int axis) const {
        switch (axis) {
            case 0: return wrapped(column_ + cell);
            case 1: return wrapped(row_ - cell);
            default: return cell;
        }
    }
    /// Returns the cell of this rank in that slab of the axis.
    int cell_in(int slab, int axis) const {
        switch (axis) {
            case 0: return wrapped(slab - column_);
            case 1: return wrapped(row_ - slab);
            default: return slab;
        }
    }
    Box box(int cell) const {
        Box result{};
        for (int axis = 0; axis < 3; ++axis) {
            const int at = slab(cell, axis), each = points_ / side_, rest = points_ % side_;
            result.first[axis] = at * each + std::min(at, rest);
            result.size[axis] = each + (at < rest ? 1 : 0);
        }
        return result;
    }
    /// Points of the longest cell side over all ranks.
    int longest_side() const { return (points_ + side_ - 1) / side_; }

    /// Returns the rank with the cells next along the axis, treated as a ring.
    int successor(int axis) const { return neighbour(axis, 1); }
    int predecessor(int axis) const { return neighbour(axis, -1); }

    /// Points of this rank's cell faces across the axis that have a cell of the successor (`step` 1) or of
    /// the predecessor (-1) behind them.
    std::int64_t shared_face_points(int axis, int step) const { return shared_[axis][step > 0]; }

  private:
    int wrapped(int value) const { return (value % side_ + side_) % side_; }
    int neighbour(int axis, int step) const {
        const int row = wrapped(row_ + (axis == 0 ? 0 : step));
        const int column = wrapped(column_ + (axis == 0 ? step : axis == 2 ? -step : 0));
        return row * side_ + column;
    }

    std::int64_t count_shared_points(int axis, int step) const {
        std::int64_t sum = 0;
        for (int cell = 0; cell < side_; ++cell) {
            const int behind = slab(cell, axis) + step;
            if (behind < 0 || behind >= side_) continue;
            const auto size = box(cell).size;
            sum += static_cast<std::int64_t>(size[(axis + 1) % 3]) * size[(axis + 2) % 3];
        }
        return sum;
    }

    int points_, side_, row_, column_;
    std::array<std::array<std::int64_t, 2>, 3> shared_{};  ///< points of faces: [axis][0 before, 1 behind]
};

/// Returns an empty text if BT or SP (`program`) runs on this many ranks, else one sentence with the counts
/// that work.
inline std::string multi_partition_problem(const char* program, char letter, int points, int ranks) {
    // Fourth differences beside both faces of a cell must not reach beyond the neighbouring cells.
    constexpr int kShortestSide = 3;
    const int widest = points / kShortestSide, side = MultiPartition::root(ranks);
    if (side >= 1 && side <= widest) return {};
    return std::string(program) + " class " + letter + " runs on square numbers (1, 4, 9, 16, ...) up to " +
           std::to_string(static_cast<std::int64_t>(widest) * widest) + " ranks, not on " +
           std::to_string(ranks);
}

/// Figures of a run of BT or SP.
struct Result {
    double seconds = 0.0;   ///< of the timed region, the slowest rank's; on rank 0
    State error_squares{};  ///< sums over all ranks
    State residual_squares{};
    std::vector<double> iteration_seconds;
};

}  // namespace linkworth::npb::flow
