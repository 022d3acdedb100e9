// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/ft/ft.hpp"

#include <cmath>

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton::ft {
namespace {

using namespace npb::ft;

/// Counts floating point operations: 5 n log2 n of a complex transform of length n.
class CountingKernel {
  public:
    CountingKernel(Work& work, const Class& problem, const Layout& layout, int ranks)
        : work_(work),
          layout_(layout),
          points_(static_cast<double>(problem.nx * problem.ny * problem.nz / ranks)),
          log_x_(std::log2(static_cast<double>(problem.nx))),
          log_y_(std::log2(static_cast<double>(problem.ny))),
          log_z_(std::log2(static_cast<double>(problem.nz))) {}

    /// Two random numbers a point.
    void prepare() { work_.count(2.0 * points_); }
    void forward(int stage) {
        work_.count(transform(stage) + kCopyOperations * copies(stage) * points_);
        move(transform_bytes(stage));
    }
    void inverse(int stage) {
        const bool evolves = stage == layout_.stages() - 1;
        work_.count(transform(stage) + kCopyOperations * copies(stage) * points_ +
                    (evolves ? kEvolveOperations * points_ : 0.0));
        move(transform_bytes(stage) + (evolves ? kEvolveBytes : 0.0));
    }
    const Checksum* outgoing() { return nullptr; }
    Checksum* incoming() { return nullptr; }
    /// Every rank goes through all the points that are summed.
    Checksum checksum() {
        work_.count(kChecksumPoints);
        return {};
    }

  private:
    static constexpr double kEvolveOperations = 2.0;  ///< a complex number times a decay
    static constexpr double kCopyOperations = 10.0;   ///< cost of cutting or joining, in operations
    static constexpr double kPointBytes = 16.0;
    static constexpr double kEvolveBytes = 4.0 * kPointBytes + 8.0;  ///< spectrum, field and decay
    static constexpr double kChecksumPoints = 1024.0;

    /// Times that a stage cuts the field for an exchange or joins it after one.
    double copies(int stage) const {
        if (layout_.shape == Shape::whole || stage == layout_.stages() - 1) return 0.0;
        return stage > 0 ? 2.0 : 1.0;
    }
    double transform(int stage) const {
        const bool last = stage == layout_.stages() - 1;
        double steps = log_z_;
        if (!last && layout_.shape == Shape::pencils) steps = stage == 0 ? log_x_ : log_y_;
        if (!last && layout_.shape != Shape::pencils) steps = log_x_ + log_y_;
        return 5.0 * points_ * steps;
    }
    /// Bytes of a point that are read and written back. A copy reads a line before it writes it.
    double transform_bytes(int stage) const {
        const bool two_axes = stage < layout_.stages() - 1 && layout_.shape != Shape::pencils;
        return kPointBytes * (2.0 * (two_axes ? 2.0 : 1.0) + 3.0 * copies(stage));
    }
    void move(double bytes) { work_.move(bytes * points_, 2.0 * kPointBytes * points_); }

    Work& work_;
    Layout layout_;
    double points_;  ///< of this rank
    double log_x_, log_y_, log_z_;
};
static_assert(Kernel<CountingKernel>);

void check(Arguments arguments, int ranks) {
    refuse_if(rank_problem(class_of("ft", kClasses, arguments), ranks));
}

void record(Arguments arguments, RecordingCommunicator& world, Work& work) {
    const Class& problem = class_of("ft", kClasses, arguments);
    Timers timers(kPhases, work);
    run(world, problem, 0, timers, [&](const Layout& layout, auto&& use) {
        CountingKernel kernel(work, problem, layout, world.size());
        return use(kernel);
    });
}

}  // namespace

Skeleton entry() { return {"ft", kPhases, check, record}; }

}  // namespace linkworth::skeleton::ft
