// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "../common/arguments.hpp"
#include "../driver.hpp"
#include "../drivers.hpp"
#include "sum.hpp"

namespace linkworth::npb {
namespace {

constexpr double kImbalanceTolerance = 1e-12;

}  // namespace

Outcome run_imbalance(MpiCommunicator& world, const Options& options) {
    const imbalance::Problem problem = imbalance_problem(options);
    imbalance::SumKernel kernel;
    imbalance::Timers timers(imbalance::kPhases, options.timers);
    const imbalance::Result result = imbalance::run(world, kernel, problem, timers);

    Outcome outcome;
    outcome.program = "imbalance";
    outcome.size = {problem.points};
    outcome.seconds = result.seconds;
    outcome.ranks = world.size();
    outcome.mega_operations = static_cast<double>(problem.points) / 1e6;
    outcome.operation = "points of the sum";
    outcome.tolerance = kImbalanceTolerance;
    outcome.checks = {checked("pi", result.integral, std::numbers::pi)};
    outcome.parameters = {{"level", static_cast<double>(problem.level)}};
    const double mean = static_cast<double>(problem.points) / world.size();
    outcome.figures = {{"load balance", mean / imbalance::Spread(problem, world.size()).most()}};
    collect_timers(world, timers, outcome);
    return outcome;
}

}  // namespace linkworth::npb
