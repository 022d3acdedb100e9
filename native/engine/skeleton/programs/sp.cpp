// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/sp.hpp"

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton {
namespace {

using namespace npb;
using namespace npb::sp;

/// Floating point operations of one point, as the formulas have them.
constexpr double kRightHandSide = 300.0;
constexpr double kEliminate[3] = {116.0, 100.0, 100.0};
constexpr double kSubstitute[3] = {20.0, 20.0, 70.0};

/// A number of a face to pack or unpack takes as long as so many of them on the average: 1.2 ns against
/// 0.043, on a rank of SP.A on 4 and on 9 that runs alone, without messages, on one core of an Intel Xeon
/// (family 6, model 207); 2026-11-22, benchmarks/skeleton/bench_phases.py.
constexpr double kFaceNumber = 28.0;

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
        const flow::Box box = layout_.box(cell);
        work_.count(kRightHandSide * box.size[0] * box.size[1] * box.size[2]);
    }
    void eliminate(int axis, int cell) {
        work_.count(kEliminate[axis] * points(axis, cell, {0, layout_.box(cell).size[axis == 2 ? 1 : 2]}));
    }
    void solve(int axis, int cell, Sections sections) {
        work_.count((kEliminate[axis] + kSubstitute[axis]) * points(axis, cell, sections));
    }
    const double* outgoing_lines() { return nullptr; }
    double* incoming_rows(int) { return nullptr; }
    double* incoming_values() { return nullptr; }
    void squared_errors(flow::State&) {}
    void squared_residuals(flow::State&) {}

  private:
    /// Eight lines at a time, side by side in x, or in y where they go along x (sp_sweeps.hpp).
    double points(int axis, int cell, Sections sections) const {
        constexpr int lines = 8;
        const flow::Box box = layout_.box(cell);
        const int across = (box.size[axis == 0 ? 1 : 0] + lines - 1) / lines * lines;
        return static_cast<double>(sections.count) * box.size[axis] * across;
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

Skeleton sp() { return {"sp", kPhases, check, record}; }

}  // namespace linkworth::skeleton
