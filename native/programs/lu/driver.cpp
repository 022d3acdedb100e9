// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "lu.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "pencil.hpp"

namespace linkworth::npb {

Outcome run_lu(MpiCommunicator& world, const Options& options) {
    const lu::Class& problem = find_class(lu::kClasses, options.letter);
    if (const std::string complaint = lu::rank_problem(problem, world.size()); !complaint.empty())
        throw UsageError(complaint);
    lu::Timers timers(lu::kPhases, options.timers);
    const lu::Result result =
        lu::run(world, problem, options.timers, timers,
                [](const lu::Class& agreed, const lu::Layout& layout, auto&& with_kernel) {
                    lu::PencilKernel kernel(agreed, layout);
                    return with_kernel(kernel);
                });

    Outcome outcome;
    outcome.program = "lu";
    outcome.letter = problem.letter;
    outcome.size = {problem.points, problem.points, problem.points};
    outcome.iterations = problem.iterations;
    outcome.seconds = result.seconds;
    outcome.ranks = world.size();
    outcome.mega_operations = problem.mega_operations;
    outcome.operation = "floating point";
    outcome.tolerance = lu::kTolerance;
    outcome.iteration_seconds = result.iteration_seconds;
    for (std::size_t m = 0; m < result.residuals.size(); ++m)
        outcome.checks.push_back(
            checked("residual " + std::to_string(m + 1), result.residuals[m], problem.residuals[m]));
    for (std::size_t m = 0; m < result.errors.size(); ++m)
        outcome.checks.push_back(
            checked("error " + std::to_string(m + 1), result.errors[m], problem.errors[m]));
    outcome.checks.push_back(checked("surface integral", result.surface_integral, problem.surface_integral));
    if (options.timers) collect_timers(world, timers, outcome);
    return outcome;
}

}  // namespace linkworth::npb
