// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "is.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "sorter.hpp"

namespace linkworth::npb {

Outcome run_is(MpiCommunicator& world, const Options& options) {
    const is::Class& problem = find_class(is::kClasses, options.letter);
    if (const std::string complaint = is::rank_problem(problem, world.size()); !complaint.empty())
        throw UsageError(complaint);
    is::Timers timers(is::kPhases, options.timers);
    const is::Result result = is::run(world, options.timers, timers, [&](auto&& with_kernel) {
        is::SortKernel kernel(problem, world.rank(), world.size());
        return with_kernel(kernel);
    });

    Outcome outcome;
    outcome.program = "is";
    outcome.letter = problem.letter;
    outcome.size = {std::int64_t{1} << problem.log2_keys};
    outcome.iterations = is::kIterations;
    outcome.seconds = result.seconds;
    outcome.ranks = world.size();
    outcome.mega_operations = problem.mega_operations;
    outcome.operation = "keys ranked";
    outcome.tolerance = 0.0;
    outcome.iteration_seconds = result.iteration_seconds;
    outcome.checks = {checked("tests passed", result.passed, is::kIterations * is::kTestKeys + world.size())};
    if (options.timers) collect_timers(world, timers, outcome);
    return outcome;
}

}  // namespace linkworth::npb
