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

/// Fields of one rank's cells and the arithmetic of SP on them; see the concept for each function.
class SolverKernel {
  public:
    SolverKernel(const Class& problem, const Layout& layout);

    void reset();
    void pack_faces() { faces_.pack(states_); }
    void unpack_faces() { faces_.unpack(states_); }
    const double* outgoing_face(int side) const { return faces_.outgoing(side); }
    double* incoming_face(int side) { return faces_.incoming(side); }

    void right_hand_side(int cell);
    void solve(int axis, int cell, Sections sections);
    void eliminate(int axis, int cell, Sections sections);
    void substitute(int axis, int cell, Sections sections);
    void pack_rows(int axis, int cell);
    void unpack_rows(int axis, int cell);
    void pack_values(int axis, int cell);
    void unpack_values(int axis, int cell);
    const double* outgoing_lines() const { return outgoing_.data(); }
    double* incoming_lines() { return incoming_.data(); }
    void squared_errors(flow::State& sums) const;
    void squared_residuals(flow::State& sums) const;

  private:
    /// Groups of kLanes lines along x in a plane.
    struct Group {
        int first, count;
    };

    Extent extent(int cell, int axis) const;
    /// The inner ones of the grid.
    Sections inner(int cell, int axis, Sections sections) const;
    int groups(int cell) const;
    Group group(int cell, int index) const;
    LinesAlongX lines(int cell, int z, int group);
    Sheet sheet(int cell, int section);
    template <bool kPack, bool kRows>
    void copy_lines(int axis, int cell, int p);
    Lanes* storage(int cell, int section);

    int points_;
    double time_step_;
    Layout layout_;
    std::array<StepFactors, 3> factors_;
    flow::Faces faces_;
    flow::RightHandSide right_hand_side_;
    std::vector<flow::Field> states_, forcing_, changes_;  ///< by cell
    HugeArray<Lanes> storage_;  ///< between elimination and substitution: of one section, or of all
    std::size_t section_vectors_ = 0;
    HugeArray<Speeds> scratch_;
    HugeArray<double> outgoing_, incoming_;
};

}  // namespace linkworth::npb::sp
