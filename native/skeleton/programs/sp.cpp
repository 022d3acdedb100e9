// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/sp/sp.hpp"

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton::sp {
namespace {

using namespace npb;
using namespace npb::sp;

/// Counts floating point operations, and as such the numbers of faces.
class CountingKernel {
  public:
    CountingKernel(Work& work, const Layout& layout) : work_(work), layout_(layout) {
        for (int side = 0; side < flow::kSides; ++side)
            face_numbers_ += static_cast<double>(flow::face_message(layout, side));
    }

    void reset() {}
    void pack_faces() { work_.count(kFaceNumber * face_numbers_); }
    void unpack_faces() { work_.count(kFaceNumber * face_numbers_); }
    const double* outgoing_face(int) { return nullptr; }
    double* incoming_face(int) { return nullptr; }
    void right_hand_side(int cell) {
        work_.count(kRightHandSide * points(cell));
        work_.move(kIterationBytes * points(cell), kFieldBytes * points(cell) * layout_.cells());
    }
    void eliminate(int axis, int cell) { work_.count(kEliminate[axis] * points(cell)); }
    void substitute(int axis, int cell) { work_.count(kSubstitute[axis] * points(cell)); }
    const double* outgoing() { return nullptr; }
    double* incoming() { return nullptr; }
    flow::State squared_errors() { return {}; }
    flow::State squared_residuals() { return {}; }

  private:
    /// Operations per point. Elimination: the matrices of three wave speeds 45, their rows 36, five variables
    /// with 5 each, and along x the change to characteristic variables. Substitution: five variables with 4
    /// each, and the change of variables, which along z ends in the field.
    static constexpr double kRightHandSide = 320.0;
    static constexpr double kEliminate[3] = {136.0, 106.0, 106.0};
    static constexpr double kSubstitute[3] = {30.0, 30.0, 55.0};
    /// Lines read and written back for a point in an iteration: SP.S with 128 KiB of cache in cachegrind.
    static constexpr double kIterationBytes = 3000.0;
    /// Fields of a point: u, changes, forcing, derived quantities, speed of sound, three matrices of five
    /// diagonals.
    static constexpr double kFieldBytes = 8.0 * (5 + 5 + 5 + 5 + 1 + 15);
    /// Operations that take as long as packing or unpacking a number of a face: 2.4 ns against 0.41, on ranks
    /// of class A on 4 and 9 that run alone (benchmarks/skeleton/bench_phases.py).
    static constexpr double kFaceNumber = 6.0;

    /// Points of a cell that are inside the grid.
    double points(int cell) const {
        const flow::Points inner = flow::inner_points(layout_.box(cell), layout_.points());
        return static_cast<double>(inner.along(0)) * inner.along(1) * inner.along(2);
    }

    Work& work_;
    Layout layout_;
    double face_numbers_ = 0.0;  ///< of all messages of an exchange
};
static_assert(Kernel<CountingKernel>);

void check(Arguments arguments, int ranks) {
    refuse_if(rank_problem(class_of("sp", kClasses, arguments), ranks));
}

void record(Arguments arguments, RecordingCommunicator& world, Work& work) {
    const Class& problem = class_of("sp", kClasses, arguments);
    Timers timers(kPhases, work);
    run(world, problem, 0, timers, [&](const Layout& layout, auto&& use) {
        CountingKernel kernel(work, layout);
        return use(kernel);
    });
}

}  // namespace

Skeleton entry() { return {"sp", kPhases, check, record}; }

}  // namespace linkworth::skeleton::sp
