// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "is.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "sorter.hpp"

namespace linkworth::npb {

Outcome run_is(MpiCommunicator& world, const Options& options) {
    const is::Class& problem = class_to_run(is::kClasses, options, world);
    is::Timers timers(is::kPhases, options.timers);
    const is::Result result = is::run(world, options.timers, timers, [&](auto&& with_kernel) {
        is::SortKernel kernel(problem, world.rank(), world.size());
        return with_kernel(kernel);
    });

    Outcome outcome = outcome_of("is", world, problem, result, timers);
    outcome.size = {std::int64_t{1} << problem.log2_keys};
    outcome.iterations = is::kIterations;
    outcome.operation = "keys ranked";
    outcome.tolerance = 0.0;
    outcome.checks = {checked("tests passed", result.passed, is::kIterations * is::kTestKeys + world.size())};
    return outcome;
}

}  // namespace linkworth::npb
