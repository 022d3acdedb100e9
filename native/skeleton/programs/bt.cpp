// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/bt/bt.hpp"

#include <array>
#include <cstddef>

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton::bt {
namespace {

using namespace npb::bt;
namespace flow = npb::flow;

/// Counts floating point operations, and as such the numbers of faces.
class CountingKernel {
  public:
    CountingKernel(Work& work, const flow::MultiPartition& layout) : work_(work), layout_(layout) {
        for (int side = 0; side < flow::kSides; ++side)
            face_numbers_ += static_cast<double>(flow::face_message(layout, side));
    }

    void reset() {}
    void right_hand_side(int cell) {
        work_.count(kRightHandSide * points(cell));
        work_.move(kIterationBytes * points(cell), kFieldBytes * points(cell) * layout_.cells());
    }
    void pack_faces() { work_.count(kFaceNumber * face_numbers_); }
    void unpack_faces() { work_.count(kFaceNumber * face_numbers_); }
    const double* outgoing_face(int) { return nullptr; }
    double* incoming_face(int) { return nullptr; }
    void eliminate(int axis, int slab) {
        work_.count(kElimination * points(layout_.cell_in(slab, axis)));
        if (slab == layout_.cells() - 1) substitute(axis, slab);
    }
    void substitute(int axis, int slab) { work_.count(kSubstitution * points(layout_.cell_in(slab, axis))); }
    const double* outgoing() { return nullptr; }
    double* incoming() { return nullptr; }
    flow::State squared_errors() { return {}; }
    flow::State squared_residuals() { return {}; }

  private:
    /// Operations per point. Elimination: the three blocks 200, the product with the block before 2 x 25 x 6,
    /// and 55 for each of the eleven columns that solve() works on. Substitution: a block times a vector.
    /// Right-hand side: three axes with 100 each, and the parts of the fluxes.
    static constexpr double kElimination = 200 + 300 + 11 * 55;
    static constexpr double kSubstitution = 50;
    static constexpr double kRightHandSide = 3 * 100 + 15;
    /// Lines read and written back for a point in an iteration: BT.S with 128 KiB of cache in cachegrind.
    static constexpr double kIterationBytes = 2400.0;
    /// Fields of a point: u, changes, forcing, derived quantities, and the blocks of a line's matrices.
    static constexpr double kFieldBytes = 8.0 * (5 + 5 + 5 + 5 + 30);
    /// Operations that take as long as packing or unpacking a number of a face: 2.5 ns against 0.29, on ranks
    /// of class A on 4 and 9 that run alone (benchmarks/skeleton/bench_phases.py).
    static constexpr double kFaceNumber = 8.0;

    /// Points of a cell that are inside the grid.
    double points(int cell) const {
        const flow::Points inner = flow::inner_points(layout_.box(cell), layout_.points());
        return static_cast<double>(inner.along(0)) * inner.along(1) * inner.along(2);
    }

    Work& work_;
    const flow::MultiPartition& layout_;
    double face_numbers_ = 0.0;
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

Skeleton entry() { return {"bt", kPhases, check, record}; }

}  // namespace linkworth::skeleton::bt
