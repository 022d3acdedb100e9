// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/bt.hpp"

#include <array>
#include <cstddef>

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton {
namespace {

using namespace npb::bt;
namespace flow = npb::flow;

/// Counts floating point operations, and as such the numbers of faces.
class CountingKernel {
  public:
    CountingKernel(Work& work, const flow::MultiPartition& layout) : work_(work), layout_(layout) {
        for (int side = 0; side < flow::kSides; ++side)
            face_numbers_ += static_cast<double>(flow::face_message(layout, side));
        for (int cell = 0; cell < layout.cells(); ++cell) points_ += points_of(cell);
    }

    void prepare() {}
    void reset() {}
    void right_hand_side() { work_.count(kRightHandSide * points_); }
    void pack_faces() { work_.count(kFaceNumber * face_numbers_); }
    void unpack_faces() { work_.count(kFaceNumber * face_numbers_); }
    const double* outgoing_face(int) { return nullptr; }
    double* incoming_face(int) { return nullptr; }
    void eliminate(int axis, int slab) {
        const bool last = slab == layout_.cells() - 1;
        work_.count((kElimination + (last ? kSubstitution : 0.0)) *
                    in_bundles(layout_.cell_in(slab, axis), axis));
    }
    void substitute(int axis, int slab) {
        const double again = npb::bt::keeps_eliminated(layout_) ? 0.0 : kElimination;
        work_.count((again + kSubstitution) * in_bundles(layout_.cell_in(slab, axis), axis));
    }
    const double* outgoing() { return nullptr; }
    double* incoming() { return nullptr; }
    void squared_errors(flow::State&) {}
    void squared_residuals(flow::State&) {}
    flow::State error_norms(const flow::State&) { return kUnknown; }
    flow::State residual_norms(const flow::State&) { return kUnknown; }

  private:
    /// Operations a point. Elimination: the Jacobians 70, the three blocks 40, the product with the block
    /// before 2 x 18 x 6 less its zeros, the factors 75, and 45 for each of six columns. Substitution: a
    /// block times a vector. Right-hand side: three axes with 80 each and what the fluxes are made of.
    static constexpr double kElimination = 70 + 40 + 216 + 75 + 6 * 45;
    static constexpr double kSubstitution = 50;
    static constexpr double kRightHandSide = 3 * 80 + 30;
    /// A number to pack or unpack takes as long as so many of all those on the average: 1.3 to 1.4 ns against
    /// 0.028, on a rank of BT.A on 4 and on 9 that runs alone, without messages, on one core of an Intel Xeon
    /// (family 6, model 207); 2026-11-22, benchmarks/skeleton/bench_phases.py.
    static constexpr double kFaceNumber = 48;
    static constexpr flow::State kUnknown{1.0, 1.0, 1.0, 1.0, 1.0};

    double points_of(int cell) const {
        double product = 1.0;
        for (const int side : layout_.box(cell).size) product *= side;
        return product;
    }
    /// The points that lines along an axis go through: eight lines at a time, side by side in x, or in y
    /// where they go along x (bt_solver.cpp).
    double in_bundles(int cell, int axis) const {
        constexpr int lines = 8;
        const int side = layout_.box(cell).size[axis == 0 ? 1 : 0];
        return points_of(cell) / side * ((side + lines - 1) / lines * lines);
    }

    Work& work_;
    const flow::MultiPartition& layout_;
    double face_numbers_ = 0.0, points_ = 0.0;
};
static_assert(Kernel<CountingKernel>);

void check(Arguments arguments, int ranks) {
    refuse_if(rank_problem(class_of("bt", kClasses, arguments), ranks));
}

void record(Arguments arguments, RecordingCommunicator& world, Work& work) {
    const Class& problem = class_of("bt", kClasses, arguments);
    Timers timers(kPhases, work);
    run(world, problem, 0, timers, [&](const flow::MultiPartition& layout, auto&& use) {
        CountingKernel kernel(work, layout);
        return use(kernel);
    });
}

}  // namespace

Skeleton bt() { return {"bt", kPhases, check, record}; }

}  // namespace linkworth::skeleton
