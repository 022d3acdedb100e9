// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "ft.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "solver.hpp"

namespace linkworth::npb {

Outcome run_ft(MpiCommunicator& world, const Options& options) {
    const ft::Class& problem = find_class(ft::kClasses, options.letter);
    if (const std::string complaint = ft::rank_problem(problem, world.size()); !complaint.empty())
        throw UsageError(complaint);
    ft::Timers timers(ft::kPhases, options.timers);
    const ft::Result result =
        ft::run(world, problem, options.timers, timers, [&](const ft::Layout& layout, auto&& with_kernel) {
            ft::SolverKernel kernel(problem, layout, world.rank());
            return with_kernel(kernel);
        });

    Outcome outcome;
    outcome.program = "ft";
    outcome.letter = problem.letter;
    outcome.size = {problem.nx, problem.ny, problem.nz};
    outcome.iterations = problem.iterations;
    outcome.seconds = result.seconds;
    outcome.ranks = world.size();
    outcome.mega_operations = problem.mega_operations;
    outcome.operation = "floating point";
    outcome.tolerance = ft::kTolerance;
    outcome.iteration_seconds = result.iteration_seconds;
    for (int i = 0; i < problem.iterations; ++i) {
        const ft::Checksum value = result.checksums[i], reference = problem.checksums[i];
        outcome.checks.push_back({"checksum " + std::to_string(i + 1), value.real(), reference.real(),
                                  std::abs((value - reference) / reference)});
    }
    if (options.timers) collect_timers(world, timers, outcome);
    return outcome;
}

}  // namespace linkworth::npb
