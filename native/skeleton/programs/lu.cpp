// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/lu/lu.hpp"

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton::lu {
namespace {

using namespace npb::lu;

// Floating point operations a point: the right-hand side is BT's. A sweep makes three blocks of neighbours
// and one of the point itself, multiplies the former and solves the latter.
constexpr double kRightHandSide = 315.0, kSweep = 3 * 50.0 + 30.0 + 3 * 50.0 + 120.0, kAdd = 10.0,
                 kNorm = 10.0;
/// Operations that take as long as packing or unpacking a number: 2.9 ns against 0.44, on ranks of LU.A on 4
/// and 9 that run alone (benchmarks/skeleton/bench_phases.py).
constexpr double kMovedNumber = 6.0;

/// Counts floating point operations, and moved numbers as such.
class CountingKernel {
  public:
    CountingKernel(Work& work, const Class& problem, const Layout& layout) : work_(work) {
        const int along_x = layout.inner_x().count, along_y = layout.inner_y().count;
        plane_ = static_cast<double>(along_x) * along_y;
        planes_ = problem.points - 2;
        ghosts_along_x_ = static_cast<double>(problem.points) * layout.own_x().count * kLayerNumbers;
        ghosts_along_y_ = static_cast<double>(problem.points) * layout.own_y().count * kLayerNumbers;
        for (const Side side : {low_x, high_x, low_y, high_y})
            if (layout.has_neighbour(side))
                line_numbers_ += npb::flow::kComponents * (across_x(side) ? along_y : along_x);
    }

    void fill_exact() {}
    void fill_initial() {}
    void pack_ghosts(Side side) {
        work_.count(kMovedNumber * (across_x(side) ? ghosts_along_y_ : ghosts_along_x_));
    }
    void unpack_ghosts(Side side) { pack_ghosts(side); }
    const double* outgoing_ghosts(Side) { return nullptr; }
    double* incoming_ghosts(Side) { return nullptr; }
    void right_hand_side() {
        work_.count(kRightHandSide * plane_ * planes_);
        work_.move(kIterationBytes * plane_ * planes_, kFieldBytes * plane_ * planes_);
    }
    void take_forcing() {}
    void lower(int) { work_.count(kSweep * plane_ + kMovedNumber * line_numbers_); }
    void upper(int) { lower(0); }
    void add_changes() { work_.count(kAdd * plane_ * planes_); }
    const double* outgoing_line(Side) { return nullptr; }
    double* incoming_line(Side) { return nullptr; }
    void add_squares(npb::flow::State&) { work_.count(kNorm * plane_ * planes_); }
    void add_squared_errors(npb::flow::State&) {}
    void take_faces(int) {}
    void pack_face_line(Side, int) {}
    void unpack_face_line(Side, int) {}
    const double* outgoing_face_line() { return nullptr; }
    double* incoming_face_line() { return nullptr; }
    double face_sum() { return 1.0; }

  private:
    /// Lines read and written back for a point in an iteration: LU.S with 128 KiB of cache in cachegrind.
    static constexpr double kIterationBytes = 1300.0;
    /// Fields of a point: u, changes, forcing, derived quantities.
    static constexpr double kFieldBytes = 8.0 * (5 + 5 + 5 + 5);
    static constexpr double kLayerNumbers = npb::flow::kReach * npb::flow::kComponents;

    Work& work_;
    double plane_ = 0.0;  ///< inner points of a plane
    int planes_ = 0;
    double line_numbers_ = 0.0;  ///< of a plane's lines to and from all neighbours
    double ghosts_along_x_ = 0.0, ghosts_along_y_ = 0.0;
};
static_assert(Kernel<CountingKernel>);

void check(Arguments arguments, int ranks) {
    refuse_if(rank_problem(class_of("lu", kClasses, arguments), ranks));
}

void record(Arguments arguments, RecordingCommunicator& world, Work& work) {
    const Class& problem = class_of("lu", kClasses, arguments);
    Timers timers(kPhases, work);
    run(world, problem, 0, timers, [&](const Class& agreed, const Layout& layout, auto&& use) {
        CountingKernel kernel(work, agreed, layout);
        return use(kernel);
    });
}

}  // namespace

Skeleton entry() { return {"lu", kPhases, check, record}; }

}  // namespace linkworth::skeleton::lu
