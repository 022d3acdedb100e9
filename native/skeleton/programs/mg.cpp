// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/mg/mg.hpp"

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton::mg {
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

    void clear(int) {}
    void residual(int level) {
        work_.count(kResidual * points(level));
        move(level, stencil_reads(level, 3) + 3.0);
    }
    Norm norm() {
        work_.count(kNorm * points(layout_.levels()));
        move(layout_.levels(), 1.0);
        return {1.0, 1.0};
    }
    void restrict_residual(int level) {
        work_.count(kRestriction * points(level - 1));
        move(level, stencil_reads(level, 1) + 2.0 / 8.0);
    }
    void interpolate(int level) {
        work_.count(kInterpolation * points(level));
        move(level, 2.0 + 1.0 / 8.0);
    }
    void smooth(int level) {
        work_.count(kSmoothing * points(level));
        move(level, stencil_reads(level, 2) + 2.0);
    }

    const double* outgoing(Field, int level, int axis, int) {
        work_.count(static_cast<double>(layout_.face(level, axis)));
        return nullptr;
    }
    double* incoming(int) { return nullptr; }
    void take(Field, int level, int axis) {
        work_.count(2.0 * static_cast<double>(layout_.face(level, axis)));
    }
    /// Each face is packed and unpacked, as between two ranks.
    void wrap(Field, int level) {
        for (int axis = 0; axis < kAxes; ++axis)
            work_.count(4.0 * static_cast<double>(layout_.face(level, axis)));
    }

    const double* outgoing_plane(int level, int axis) {
        work_.count(static_cast<double>(layout_.plane(level, axis)));
        return nullptr;
    }
    void take_planes(int level, int axis) {
        work_.count(2.0 * static_cast<double>(layout_.plane(level, axis)));
    }

  private:
    // Operations of a point of the level that the loop runs over. Sums shared between points count once.
    static constexpr double kResidual = 15.0, kNorm = 3.0, kInterpolation = 6.0, kSmoothing = 15.0;
    static constexpr double kRestriction = 27.0;

    /// Adds numbers per point of a level that are read or written back; a line that is written is read first.
    void move(int level, double numbers) {
        work_.move(numbers * kNumberBytes * points(level), kArrays * kNumberBytes * points(level));
    }
    /// Times that a stencil reads a number of its array from memory in a pass over `arrays` arrays: for
    /// the plane ahead, and again for the centre and the plane behind unless the cache keeps the planes in
    /// between (the layer condition; Stengel et al., ICS 2015).
    double stencil_reads(int level, int arrays) const {
        const Triple n = layout_.extents(level);
        const double plane = static_cast<double>(n[0] + 2) * static_cast<double>(n[1] + 2) * kNumberBytes;
        const double between = arrays * plane;
        return 1.0 + (between > work_.cache_bytes()) + (2.0 * between > work_.cache_bytes());
    }
    static constexpr double kNumberBytes = sizeof(double), kArrays = 3.0;

    double points(int level) const {
        const Triple n = layout_.extents(level);
        return static_cast<double>(n[0]) * static_cast<double>(n[1]) * static_cast<double>(n[2]);
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

Skeleton entry() { return {"mg", kPhases, check, record}; }

}  // namespace linkworth::skeleton::mg
