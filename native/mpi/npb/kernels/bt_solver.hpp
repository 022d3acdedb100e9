// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "../flow/faces.hpp"
#include "../flow/fill.hpp"
#include "../flow/right_hand_side.hpp"
#include "../programs/bt.hpp"
#include "bt_sweep.hpp"

namespace linkworth::npb::bt {

/// Arithmetic of BT with its fields. A line's systems are made, eliminated and, in the last slab, substituted
/// while they are in cache; for the other slabs see keeps_eliminated.
class SolverKernel {
  public:
    SolverKernel(const Class& problem, const flow::MultiPartition& layout);

    void prepare();
    void reset();
    void right_hand_side();
    void pack_faces() { faces_.pack(u_); }
    void unpack_faces() { faces_.unpack(u_); }
    const double* outgoing_face(int side) const { return faces_.outgoing(side); }
    double* incoming_face(int side) { return faces_.incoming(side); }
    void eliminate(int axis, int slab);
    void substitute(int axis, int slab);
    const double* outgoing() const { return outgoing_.data(); }
    double* incoming() { return incoming_.data(); }
    void squared_errors(flow::State& sums) const;
    void squared_residuals(flow::State& sums) const;
    flow::State error_norms(const flow::State& sums) const;
    flow::State residual_norms(const flow::State& sums) const;

  private:
    /// kLanes lines along an axis through a cell.
    struct Bundle {
        int cell, axis;
        int row;    ///< along z, or along y for lines along z
        int first;  ///< of the lines in the row: along x, or along y for lines along x
        int count;  ///< of them, kLanes or fewer
        std::size_t index;
    };

    /// Calls use(bundle) for all lines of the cell.
    template <class Use>
    void for_each_bundle(int cell, int axis, Use&& use) const;
    Lines lines_of(const Bundle& bundle, int slab);
    /// For lines along x: the vectors with one row in each lane.
    void gather_x(const Bundle& bundle);
    void gather_x_field(const Bundle& bundle);
    void scatter_x(const Bundle& bundle, const Lines& lines);
    void finish(const Bundle& bundle, Lines& lines, const Eliminated* store, Lanes (&carry)[kSize]);
    /// Where number `m` of the bundle's lines stands in a message of `numbers` a line.
    std::size_t message_offset(const Bundle& bundle, int numbers, int m) const;
    bool keeps() const { return kept_.size() > 0; }
    Eliminated* kept(int slab, const Bundle& bundle);
    Eliminated& handed_over(int slab, const Bundle& bundle);

    Class problem_;
    flow::MultiPartition layout_;
    std::array<AxisFactors, 3> factors_;
    flow::RightHandSide operator_;
    flow::Faces faces_;
    std::vector<flow::Field> u_, right_, forcing_;  ///< by cell
    HugeArray<double> outgoing_, incoming_;
    std::size_t bundles_ = 0;             ///< of a cell, at most
    HugeArray<Eliminated> kept_;          ///< of the slabs but the last: [slab][bundle][point]
    HugeArray<Eliminated> handed_over_;   ///< where it is not kept, to the slabs between: [slab - 1][bundle]
    HugeArray<Eliminated> scratch_;       ///< of one bundle
    HugeArray<Lanes> x_field_, x_right_;  ///< of one bundle: [point][component]
};

}  // namespace linkworth::npb::bt
