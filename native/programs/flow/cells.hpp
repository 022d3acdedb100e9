// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "face_exchange.hpp"
#include "field.hpp"
#include "right_hand_side.hpp"

namespace linkworth::npb::flow {

/// One cell of a rank: its place in the grid and its fields.
struct Cell {
    Cell(const Box& box, int points);

    Box box;
    Points inner;
    Field u;        ///< with kReach ghosts
    Field right;    ///< right-hand side, then change; with kReach ghosts
    Field forcing;  ///< makes the exact solution a steady one
    Field derived;
};

/// The cells of a rank of BT or SP, and the arithmetic that the two share.
class Cells {
  public:
    Cells(const MultiPartition& layout, double time_step);

    /// Sets u to the field that the solvers start from.
    void reset();
    void pack_faces();
    void unpack_faces();
    const double* outgoing_face(int side) const { return outgoing_faces_[side].data(); }
    double* incoming_face(int side) { return incoming_faces_[side].data(); }
    /// right = time step times the right-hand side, with the forcing. Sets the derived quantities, too.
    void right_hand_side(int cell);
    /// u += right.
    void add_changes(int cell);
    /// Sums of squares over this rank's points: distance from the exact solution, and right-hand side of one
    /// unit of time.
    State squared_errors() const;
    State squared_residuals() const;

  protected:
    /// Calls use(x, y, z) for the first point of each inner line along an axis.
    template <class Use>
    void for_each_line(int cell, int axis, Use&& use) const {
        const Points& inner = cells_[cell].inner;
        const int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
        std::array<int, 3> at{};
        for (at[b] = inner.first[b]; at[b] < inner.last[b]; ++at[b])
            for (at[a] = inner.first[a]; at[a] < inner.last[a]; ++at[a]) use(at[0], at[1], at[2]);
    }

    MultiPartition layout_;
    double time_step_;
    std::vector<Cell> cells_;

  private:
    /// Calls use(cell) for each cell that has a neighbour at that side, in the order of the slabs. That order
    /// is the same for both ends of a message.
    template <class Use>
    void for_each_shared_face(int side, Use&& use);

    std::array<std::vector<double>, kSides> outgoing_faces_, incoming_faces_;
};

}  // namespace linkworth::npb::flow
