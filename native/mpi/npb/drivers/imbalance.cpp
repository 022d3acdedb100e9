// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "../kernels/imbalance_sum.hpp"
#include "common.hpp"
#include "drivers.hpp"

namespace linkworth::npb {
namespace {

/// The midpoint rule's own error is below 1e-13 from this many points on (it is 1 / (12 points^2)).
constexpr std::int64_t kFewestPoints = 1'000'000;
constexpr double kTolerance = 1e-12;

int level_of(const std::string& text) {
    if (text.size() == 1 && text[0] >= '1' && text[0] < '1' + imbalance::kLevels) return text[0] - '0';
    throw UsageError("imbalance: the level is a whole number from 1 (even) to " +
                     std::to_string(imbalance::kLevels) + " (all on one rank), not '" + text + "'");
}

}  // namespace

Outcome run_imbalance(MpiCommunicator& world, const Options& options) {
    const imbalance::Problem problem{
        level_of(options.argument),
        options.whole_number("--operations", imbalance::kDefaultPoints, kFewestPoints)};
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
    outcome.tolerance = kTolerance;
    outcome.checks = {checked("pi", result.integral, std::numbers::pi)};
    outcome.parameters = {{"level", static_cast<double>(problem.level)}};
    const double mean = static_cast<double>(problem.points) / world.size();
    outcome.figures = {{"load balance", mean / imbalance::Spread(problem, world.size()).most()}};
    if (options.timers) collect_timers(world, timers, outcome);
    return outcome;
}

}  // namespace linkworth::npb
