// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "cg.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "solver.hpp"

namespace linkworth::npb {

Outcome run_cg(MpiCommunicator& world, const Options& options) {
    const cg::Class& problem = find_class(cg::kClasses, options.letter);
    if (const std::string complaint = cg::rank_problem(problem, world.size()); !complaint.empty())
        throw UsageError(complaint);
    cg::Timers timers(cg::kPhases, options.timers);
    const cg::Result result =
        cg::run(world, problem, options.timers, timers, [&](const cg::Layout& layout, auto&& with_kernel) {
            cg::SolverKernel kernel(problem, layout);
            return with_kernel(kernel);
        });

    Outcome outcome;
    outcome.program = "cg";
    outcome.letter = problem.letter;
    outcome.size = {problem.order};
    outcome.iterations = problem.iterations;
    outcome.seconds = result.seconds;
    outcome.ranks = world.size();
    outcome.mega_operations = problem.mega_operations;
    outcome.operation = "floating point";
    outcome.tolerance = cg::kTolerance;
    outcome.iteration_seconds = result.iteration_seconds;
    outcome.checks = {checked("zeta", result.zeta, problem.zeta)};
    if (options.timers) collect_timers(world, timers, outcome);
    return outcome;
}

}  // namespace linkworth::npb
