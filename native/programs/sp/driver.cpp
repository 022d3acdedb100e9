// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "sp.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "../flow/fill.hpp"
#include "solver.hpp"

namespace linkworth::npb {

Outcome run_sp(MpiCommunicator& world, const Options& options) {
    const sp::Class& problem = find_class(sp::kClasses, options.letter);
    if (const std::string complaint = sp::rank_problem(problem, world.size()); !complaint.empty())
        throw UsageError(complaint);
    sp::Timers timers(sp::kPhases, options.timers);
    const sp::Result result =
        sp::run(world, problem, options.timers, timers, [&](const sp::Layout& layout, auto&& with_kernel) {
            sp::SolverKernel kernel(problem, layout);
            return with_kernel(kernel);
        });

    Outcome outcome;
    outcome.program = "sp";
    outcome.letter = problem.letter;
    outcome.size = {problem.points, problem.points, problem.points};
    outcome.iterations = problem.steps;
    outcome.seconds = result.seconds;
    outcome.ranks = world.size();
    outcome.mega_operations = problem.mega_operations;
    outcome.operation = "floating point";
    outcome.tolerance = sp::kTolerance;
    outcome.iteration_seconds = result.iteration_seconds;
    const int points = static_cast<int>(problem.points);
    const flow::State residual = flow::root_mean_squares(result.residual_squares, points);
    const flow::State error = flow::root_mean_squares(result.error_squares, points);
    for (int m = 0; m < flow::kComponents; ++m)
        outcome.checks.push_back(
            checked("residual " + std::to_string(m + 1), residual[m], problem.residual[m]));
    for (int m = 0; m < flow::kComponents; ++m)
        outcome.checks.push_back(checked("error " + std::to_string(m + 1), error[m], problem.error[m]));
    if (options.timers) collect_timers(world, timers, outcome);
    return outcome;
}

}  // namespace linkworth::npb
