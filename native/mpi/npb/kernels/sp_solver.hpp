// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "../flow/faces.hpp"
#include "../flow/field.hpp"
#include "../flow/right_hand_side.hpp"
#include "../huge_array.hpp"
#include "../programs/sp.hpp"
#include "sp_sweeps.hpp"

namespace linkworth::npb::sp {

/// Fields of one rank's cells and the arithmetic of SP on them; see the concept for each function. What
/// elimination makes of a bundle of lines stays in cache; a line that goes on in another cell is eliminated
/// again before substitution, which costs less than bringing it back from memory.
class SolverKernel {
  public:
    SolverKernel(const Class& problem, const Layout& layout);

    void reset();
    void pack_faces() { faces_.pack(states_); }
    void unpack_faces() { faces_.unpack(states_); }
    const double* outgoing_face(int side) const { return faces_.outgoing(side); }
    double* incoming_face(int side) { return faces_.incoming(side); }

    void right_hand_side(int cell);
    void eliminate(int axis, int cell);
    void solve(int axis, int cell, Sections sections);
    const double* outgoing_lines() const { return outgoing_.data(); }
    double* incoming_rows(int cell) { return incoming_rows_.data() + cell * rows_message_; }
    double* incoming_values() { return incoming_values_.data(); }
    void squared_errors(flow::State& sums) const;
    void squared_residuals(flow::State& sums) const;

  private:
    Extent extent(int cell, int axis) const;
    /// The inner ones of the grid.
    Sections inner(int cell, int axis, Sections sections) const;
    /// Calls use(bundle) for the bundles of a section.
    template <class Use>
    void for_each_bundle(int axis, int cell, int section, Use&& use) const;
    template <bool kSubstitutes>
    void sweep(int axis, int cell, Sections sections);

    int points_;
    double time_step_;
    Layout layout_;
    std::array<StepFactors, 3> factors_;
    flow::Faces faces_;
    flow::RightHandSide right_hand_side_;
    std::vector<flow::Field> states_, forcing_, changes_;  ///< by cell
    HugeArray<Points> kept_;                               ///< of one bundle
    HugeArray<Speeds> scratch_;
    std::size_t rows_message_ = 0;  ///< numbers
    HugeArray<double> outgoing_, incoming_rows_, incoming_values_;
};

}  // namespace linkworth::npb::sp
