// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/stencil/stencil.hpp"

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/own_options.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton::stencil {
namespace {

using namespace npb::stencil;

Problem problem_of(Arguments arguments) {
    return parsed("stencil", npb::kStencilOptions, arguments, npb::stencil_problem);
}

/// Counts points, in radiation once a band, in physics once a step, and in the copies numbers.
class CountingKernel {
  public:
    CountingKernel(Work& work, const Problem& problem, int rank, int ranks)
        : work_(work), rank_(rank), nz_(problem.nz), piece_(Grid(problem, ranks).piece(rank)) {
        points_ = static_cast<double>(piece_.points(nz_));
        domain_points_ = static_cast<double>(problem.nx * problem.ny * problem.nz);
        bands_ = problem.radiation_bands;
        physics_steps_ = problem.physics_steps;
        output_seconds_ = problem.output_seconds;
    }

    void start() {}
    void pack(Side side) { work_.count(halo(side)); }
    const double* outgoing(Side) const { return nullptr; }
    double* incoming(Side) { return nullptr; }
    void unpack(Side side) { work_.count(halo(side)); }
    void wrap(Side side) { work_.count(halo(side)); }
    void advance() { work_.count(points_); }
    void mix_columns() { work_.count(points_ * physics_steps_); }
    void radiate(int) { work_.count(points_ * bands_); }
    void pack_output(int) { work_.count(points_); }
    const double* piece() const { return nullptr; }
    double* pieces() { return nullptr; }
    void take_output(int) {
        if (rank_ == 0) work_.count(domain_points_);
    }
    void store_output() {
        if (rank_ == 0) work_.wait(output_seconds_);
    }
    Totals totals() const { return {}; }

  private:
    double halo(Side side) const {
        const bool along_y = side == Side::west || side == Side::east;
        return static_cast<double>(kFields * nz_ * (along_y ? piece_.y.count : piece_.x.count));
    }

    Work& work_;
    int rank_;
    std::int64_t nz_;
    Piece piece_;
    double points_, domain_points_, bands_, physics_steps_, output_seconds_;
};
static_assert(Kernel<CountingKernel>);

void check(Arguments arguments, int ranks) { refuse_if(rank_problem(problem_of(arguments), ranks)); }

void record(Arguments arguments, RecordingCommunicator& world, Work& work) {
    const Problem problem = problem_of(arguments);
    CountingKernel kernel(work, problem, world.rank(), world.size());
    Timers timers(kPhases, work);
    Run(world, kernel, problem, timers)();
}

}  // namespace

Skeleton entry() { return {"stencil", kPhases, check, record}; }

}  // namespace linkworth::skeleton::stencil
