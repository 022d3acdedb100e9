// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "mg.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "cycle.hpp"

namespace linkworth::npb {

Outcome run_mg(MpiCommunicator& world, const Options& options) {
    const mg::Class& problem = find_class(mg::kClasses, options.letter);
    if (const std::string complaint = mg::rank_problem(problem, world.size()); !complaint.empty())
        throw UsageError(complaint);
    mg::Timers timers(mg::kPhases, options.timers);
    const mg::Result result =
        mg::run(world, problem, options.timers, timers,
                [&](const mg::Class& agreed, const mg::Layout& layout, auto&& with_kernel) {
                    mg::CycleKernel kernel(agreed, layout, world.rank());
                    return with_kernel(kernel);
                });

    Outcome outcome;
    outcome.program = "mg";
    outcome.letter = problem.letter;
    outcome.size = {problem.points_per_side(), problem.points_per_side(), problem.points_per_side()};
    outcome.iterations = problem.iterations;
    outcome.seconds = result.seconds;
    outcome.ranks = world.size();
    outcome.mega_operations = problem.mega_operations;
    outcome.operation = "floating point";
    outcome.tolerance = mg::kTolerance;
    outcome.iteration_seconds = result.iteration_seconds;
    outcome.checks = {checked("L2 norm of the residual", result.residual_norm, problem.residual_norm)};
    if (options.timers) collect_timers(world, timers, outcome);
    return outcome;
}

}  // namespace linkworth::npb
