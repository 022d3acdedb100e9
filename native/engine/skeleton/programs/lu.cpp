// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/lu.hpp"

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton {
namespace {

using namespace npb::lu;

// Floating point operations a point in the arithmetic of native/mpi/npb/kernels/lu_*.
constexpr double kRightHandSide = 390.0, kLower = 165.0, kUpper = 200.0, kNorm = 10.0;

// What takes long for what it computes, in as many of those operations (0.021 ns each) as take its time:
// medians of single calls on ranks of LU.A on 1, 2 and 4, each alone, without messages, on one core of an
// Intel Xeon (family 6, model 207); 2026-11-22. benchmarks/skeleton/bench_phases.py shows what comes of them.
/// 1 / density, a division: 0.71 ns a stored point.
constexpr double kInverseDensity = 38.0;
/// A number of a ghost plane: 1.1 to 2.5 ns to pack or unpack, because each is in a line of the cache of its
/// own.
constexpr double kGhostNumber = 78.0;
/// A point of a line, five such numbers that were just computed (4.3 ns); and what comes in, gathered
/// together with its state and added to the system (14 ns in the lower sweep, 18 to 22 in the upper one,
/// which comes to the plane first).
constexpr double kPackedPoint = 200.0, kTakenLower = 630.0, kTakenUpper = 900.0;

/// Counts floating point operations, and as such what moves numbers.
class CountingKernel {
  public:
    CountingKernel(Work& work, const Class& problem, const Layout& layout) : work_(work) {
        // The arithmetic takes eight rows at a time, each a point behind the one before it (lu_skew.hpp).
        constexpr int rows = 8, reach = npb::flow::kReach;
        const int along_x = layout.inner_x().count, along_y = layout.inner_y().count;
        const auto blocks_of = [](int count) { return (count + rows - 1) / rows; };
        const int steps = along_x + rows - 1;
        plane_ = static_cast<double>(blocks_of(along_y) * rows) * steps;
        const int rows_before = blocks_of(reach + along_y) == blocks_of(along_y) ? reach : rows;
        stored_ = static_cast<double>(blocks_of(rows_before + along_y + reach) * rows) * (steps + 2 * reach);
        planes_ = problem.points - 2;
        ghosts_along_x_ = static_cast<double>(problem.points) * layout.own_x().count * kLayerNumbers;
        ghosts_along_y_ = static_cast<double>(problem.points) * layout.own_y().count * kLayerNumbers;
        for (const Side side : {low_x, high_x, low_y, high_y}) {
            if (!layout.has_neighbour(side)) continue;
            const bool low = side == low_x || side == low_y;
            (low ? low_lines_ : high_lines_) += across_x(side) ? along_y : along_x;
        }
    }

    void fill_exact() {}
    void fill_initial() {}
    void pack_ghosts(Side side) {
        work_.count(kGhostNumber * (across_x(side) ? ghosts_along_y_ : ghosts_along_x_));
    }
    void unpack_ghosts(Side side) { pack_ghosts(side); }
    const double* outgoing_ghosts(Side) { return nullptr; }
    double* incoming_ghosts(Side) { return nullptr; }
    void right_hand_side(int) { work_.count(kRightHandSide * plane_ + kInverseDensity * stored_); }
    void take_forcing() {}
    void lower(int) { work_.count(kLower * plane_ + kTakenLower * low_lines_ + kPackedPoint * high_lines_); }
    void upper(int, npb::flow::State*) {
        work_.count(kUpper * plane_ + kTakenUpper * high_lines_ + kPackedPoint * low_lines_);
    }
    const double* outgoing_line(Side) { return nullptr; }
    double* incoming_line(Side) { return nullptr; }
    void add_squared_residuals(npb::flow::State&) { work_.count(kNorm * plane_ * planes_); }
    void add_squared_errors(npb::flow::State&) {}
    void take_faces(int) {}
    void pack_face_line(Side, int) {}
    void unpack_face_line(Side, int) {}
    const double* outgoing_face_line() { return nullptr; }
    double* incoming_face_line() { return nullptr; }
    double face_sum() { return 1.0; }

  private:
    static constexpr double kLayerNumbers = npb::flow::kReach * npb::flow::kComponents;

    Work& work_;
    double plane_;   ///< points that a plane's arithmetic goes through, padding included
    double stored_;  ///< points of a plane in memory: ghosts and padding too
    int planes_;
    double low_lines_ = 0.0, high_lines_ = 0.0;  ///< points of a plane's lines to or from those neighbours
    double ghosts_along_x_, ghosts_along_y_;
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

Skeleton lu() { return {"lu", kPhases, check, record}; }

}  // namespace linkworth::skeleton
