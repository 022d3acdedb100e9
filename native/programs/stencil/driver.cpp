// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "stencil.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "../common/arguments.hpp"
#include "../driver.hpp"
#include "../drivers.hpp"
#include "kernel.hpp"

namespace linkworth::npb {
namespace {

/// Rounding errors of sums over a million points and thousands of steps stay far below this.
constexpr double kStencilTolerance = 1e-10;

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

/// Collective. Returns null if no output is requested, and on all ranks but 0. Throws UsageError on every
/// rank if rank 0 cannot open the file.
File open_output(MpiCommunicator& world, const std::string* path) {
    File file;
    if (!path) return file;
    if (world.rank() == 0) file.reset(std::fopen(path->c_str(), "wb"));
    int error = world.rank() == 0 && !file ? errno : 0;
    world.broadcast(&error, 1, 0);
    if (error != 0) throw UsageError("--output: cannot write " + *path + ": " + std::strerror(error));
    return file;
}

/// Checks that mass is kept, that the momentum only turns with the rotating frame, and that heat and water
/// change only by radiation and rain.
std::vector<Check> checks(const stencil::Problem& problem, const stencil::Result& result) {
    using namespace stencil;
    const Totals &first = result.first, &last = result.last;
    const double angle = kCoriolis * kTimeStep * problem.iterations;
    const double latent = kLatentHeating / Model(problem).kelvin;
    const double turned_x = std::cos(angle) * first[momentum_x] + std::sin(angle) * first[momentum_y];
    const double turned_y = std::cos(angle) * first[momentum_y] - std::sin(angle) * first[momentum_x];
    const double off = std::hypot(last[momentum_x] - turned_x, last[momentum_y] - turned_y);
    const double momentum = std::hypot(turned_x, turned_y);
    return {
        checked("mass", last[mass], first[mass]),
        {"momentum", std::hypot(last[momentum_x], last[momentum_y]), momentum, off / momentum},
        checked("heat", last[heat], first[heat] + last[radiation] + latent * last[rain]),
        checked("water", last[water] + last[rain], first[water]),
    };
}

}  // namespace

Outcome run_stencil(MpiCommunicator& world, const Options& options) {
    const stencil::Problem problem = stencil_problem(options);
    if (const std::string complaint = stencil::rank_problem(problem, world.size()); !complaint.empty())
        throw UsageError(complaint);
    const File file = open_output(world, options.find("--output"));
    stencil::ColumnKernel kernel(problem, world.rank(), world.size(), file.get());
    stencil::Timers timers(stencil::kPhases, options.timers);
    stencil::Result result = stencil::Run(world, kernel, problem, timers)();

    Outcome outcome;
    outcome.program = "stencil";
    outcome.size = {problem.nx, problem.ny, problem.nz};
    outcome.iterations = problem.iterations;
    outcome.seconds = result.seconds;
    outcome.ranks = world.size();
    outcome.mega_operations =
        static_cast<double>(problem.nx * problem.ny * problem.nz) * problem.iterations / 1e6;
    outcome.operation = "points advanced";
    outcome.tolerance = kStencilTolerance;
    outcome.checks = checks(problem, result);
    outcome.iteration_seconds = std::move(result.iteration_seconds);
    outcome.parameters = {{"radiation every", static_cast<double>(problem.radiation_every)},
                          {"output every", static_cast<double>(problem.output_every)},
                          {"dynamics steps", static_cast<double>(problem.dynamics_steps)},
                          {"physics steps", static_cast<double>(problem.physics_steps)}};
    outcome.figures = {{"kinetic energy", result.last[stencil::kinetic_energy]},
                       {"rain", result.last[stencil::rain]},
                       {"radiation", result.last[stencil::radiation]}};
    collect_timers(world, timers, outcome);
    return outcome;
}

}  // namespace linkworth::npb
