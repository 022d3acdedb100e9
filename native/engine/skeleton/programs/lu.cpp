// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/lu.hpp"

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton {
namespace {

using namespace npb::lu;

// Floating point operations a point in the arithmetic of native/mpi/npb/kernels/lu_*.
constexpr double kRightHandSide = 390.0, kLower = 165.0, kUpper = 200.0, kNorm = 10.0;

/// Counts floating point operations; in messages, numbers that are copied.
class CountingKernel {
  public:
    CountingKernel(Work& work, const Class& problem, const Layout& layout) : work_(work) {
        // The arithmetic takes eight rows at a time, each a point behind the one before it (lu_skew.hpp).
        constexpr int rows = 8;
        const int blocks = (layout.inner_y().count + rows - 1) / rows;
        plane_ = static_cast<double>(blocks * rows) * (layout.inner_x().count + rows - 1);
        planes_ = problem.points - 2;
        ghosts_along_x_ = static_cast<double>(problem.points) * layout.own_x().count * kLayerNumbers;
        ghosts_along_y_ = static_cast<double>(problem.points) * layout.own_y().count * kLayerNumbers;
    }

    void fill_exact() {}
    void fill_initial() {}
    void pack_ghosts(Side side) { work_.count(across_x(side) ? ghosts_along_y_ : ghosts_along_x_); }
    void unpack_ghosts(Side side) { pack_ghosts(side); }
    const double* outgoing_ghosts(Side) { return nullptr; }
    double* incoming_ghosts(Side) { return nullptr; }
    void right_hand_side(int) { work_.count(kRightHandSide * plane_); }
    void take_forcing() {}
    void lower(int) { work_.count(kLower * plane_); }
    void upper(int, npb::flow::State*) { work_.count(kUpper * plane_); }
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
    double plane_;  ///< points that a plane's arithmetic goes through, padding included
    int planes_;
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
