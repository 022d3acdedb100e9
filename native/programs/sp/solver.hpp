// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "../flow/cells.hpp"
#include "sp.hpp"

namespace linkworth::npb::sp {

/// The three wave speeds: velocity of the flow, and the speed of sound added to it and taken from it.
inline constexpr int kSpeeds = 3;

/// Arithmetic of SP with its fields; see the concept for each function.
class SolverKernel : public flow::Cells {
  public:
    SolverKernel(const Class& problem, const Layout& layout);

    void right_hand_side(int cell);
    void eliminate(int axis, int cell);
    void substitute(int axis, int cell);
    const double* outgoing() const { return outgoing_.data(); }
    double* incoming() { return incoming_.data(); }

  private:
    void unpack_rows(int axis, int cell);
    void pack_rows(int axis, int cell);
    /// Sets the matrices of all lines of a cell along an axis for one wave speed.
    void find_matrices(int axis, int cell, int speed);
    /// The variables of one wave speed.
    void eliminate(int axis, int cell, int speed);
    void substitute(int axis, int cell, int speed);
    // Passes over the changes of a cell, from one set of variables to the next (sp_variables.cpp).
    void conserved_to_x(int cell);
    void x_to_y(int cell);
    void y_to_z(int cell);
    void z_to_conserved(int cell);

    std::vector<flow::Field> sound_;  ///< speed of sound, by cell
    /// Diagonals of each wave speed's matrices, by cell. Ghosts are rows of the cell before.
    std::vector<std::array<flow::Field, kSpeeds>> matrices_;
    std::vector<double> outgoing_, incoming_;
};

}  // namespace linkworth::npb::sp
