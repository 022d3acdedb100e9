// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "mg.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "cycle.hpp"

namespace linkworth::npb {

Outcome run_mg(MpiCommunicator& world, const Options& options) {
    const mg::Class& problem = class_to_run(mg::kClasses, options, world);
    mg::Timers timers(mg::kPhases, options.timers);
    const mg::Result result =
        mg::run(world, problem, options.timers, timers,
                [&](const mg::Class& agreed, const mg::Layout& layout, auto&& with_kernel) {
                    mg::CycleKernel kernel(agreed, layout, world.rank());
                    return with_kernel(kernel);
                });

    Outcome outcome = outcome_of("mg", world, problem, result, timers);
    outcome.size = {problem.points_per_side(), problem.points_per_side(), problem.points_per_side()};
    outcome.iterations = problem.iterations;
    outcome.tolerance = mg::kTolerance;
    outcome.checks = {checked("L2 norm of the residual", result.residual_norm, problem.residual_norm)};
    return outcome;
}

}  // namespace linkworth::npb
