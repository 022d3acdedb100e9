// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "bt.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "../flow/checks.hpp"
#include "../flow/fill.hpp"
#include "solver.hpp"

namespace linkworth::npb {

Outcome run_bt(MpiCommunicator& world, const Options& options) {
    const bt::Class& problem = find_class(bt::kClasses, options.letter);
    if (const std::string complaint = bt::rank_problem(problem, world.size()); !complaint.empty())
        throw UsageError(complaint);
    bt::Timers timers(bt::kPhases, options.timers);
    const bt::Result result = bt::run(world, problem, options.timers, timers,
                                      [&](const flow::MultiPartition& layout, auto&& with_kernel) {
                                          bt::SolverKernel kernel(problem, layout);
                                          return with_kernel(kernel);
                                      });

    Outcome outcome;
    outcome.program = "bt";
    outcome.letter = problem.letter;
    outcome.size = {problem.points, problem.points, problem.points};
    outcome.iterations = problem.iterations;
    outcome.seconds = result.seconds;
    outcome.ranks = world.size();
    outcome.mega_operations = problem.mega_operations;
    outcome.operation = "floating point";
    outcome.tolerance = bt::kTolerance;
    outcome.iteration_seconds = result.iteration_seconds;
    flow::add_checks(outcome, "residual", flow::root_mean_squares(result.residual_squares, problem.points),
                     problem.residual);
    flow::add_checks(outcome, "error", flow::root_mean_squares(result.error_squares, problem.points),
                     problem.error);
    if (options.timers) collect_timers(world, timers, outcome);
    return outcome;
}

}  // namespace linkworth::npb
