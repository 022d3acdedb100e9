// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/mg.hpp"

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton {
namespace {

using namespace npb::mg;

/// Counts floating point operations, and in the ghost exchange numbers that are copied.
class CountingKernel {
  public:
    CountingKernel(Work& work, const Layout& layout) : work_(work), layout_(layout) {}

    void start() { work_.count(points(layout_.levels())); }
    double candidate(Charge) { return 1.0; }
    Place claim(Charge, double) { return {}; }
    void put(Charge, const Place&) {}

    Norm residual(bool with_norm, bool with_restriction) {
        const double each =
            kResidual + (with_norm ? kNorm : 0.0) + (with_restriction ? kRestrictionByRows : 0.0);
        work_.count(each * points(layout_.levels()));
        return {1.0, 1.0};
    }
    void finish_restriction() { work_.count(kGhost * 0.5 * surface(layout_.levels())); }
    void restrict_to_coarser(int level) { work_.count(kRestriction * points(level - 1)); }
    void smooth_coarsest() { work_.count(kSmoothing * points(1)); }
    void correct(int level) { work_.count((kInterpolation + kResidual + kSmoothing) * points(level)); }
    void finish_smoothing(int level) { work_.count(kGhost * surface(level)); }

    const double* outgoing(Field, int level, int axis, int) {
        work_.count(static_cast<double>(layout_.face(level, axis)));
        return nullptr;
    }
    double* incoming(int, int) { return nullptr; }
    void take(Field, int level, int axis) {
        work_.count(2.0 * static_cast<double>(layout_.face(level, axis)));
    }
    void wrap(Field, int level) { work_.count(2.0 * surface(level)); }

    const double* outgoing_plane(int level, int axis) {
        work_.count(static_cast<double>(layout_.plane(level, axis)));
        return nullptr;
    }
    void take_planes(int level, int axis) {
        work_.count(2.0 * static_cast<double>(layout_.plane(level, axis)));
    }

  private:
    // Operations of a point of the level that the sum runs over, sums shared between points counted once.
    static constexpr double kResidual = 15.0, kNorm = 3.0, kInterpolation = 5.0, kSmoothing = 15.0;
    static constexpr double kRestrictionByRows = 4.0, kRestriction = 27.0, kGhost = 8.0;

    double points(int level) const {
        const Triple n = layout_.extents(level);
        return static_cast<double>(n[0]) * static_cast<double>(n[1]) * static_cast<double>(n[2]);
    }
    double surface(int level) const {
        double sum = 0.0;
        for (int axis = 0; axis < kAxes; ++axis) sum += 2.0 * static_cast<double>(layout_.face(level, axis));
        return sum;
    }

    Work& work_;
    const Layout& layout_;
};
static_assert(Kernel<CountingKernel>);

void check(Arguments arguments, int ranks) {
    refuse_if(rank_problem(class_of("mg", kClasses, arguments), ranks));
}

void record(Arguments arguments, RecordingCommunicator& world, Work& work) {
    const Class& problem = class_of("mg", kClasses, arguments);
    Timers timers(kPhases, work);
    run(world, problem, 0, timers, [&](const Class&, const Layout& layout, auto&& use) {
        CountingKernel kernel(work, layout);
        return use(kernel);
    });
}

}  // namespace

Skeleton mg() { return {"mg", kPhases, check, record}; }

}  // namespace linkworth::skeleton
