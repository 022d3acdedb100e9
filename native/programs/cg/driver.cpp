// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "cg.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "solver.hpp"

namespace linkworth::npb {

Outcome run_cg(MpiCommunicator& world, const Options& options) {
    const cg::Class& problem = class_to_run(cg::kClasses, options, world);
    cg::Timers timers(cg::kPhases, options.timers);
    const cg::Result result =
        cg::run(world, problem, options.timers, timers, [&](const cg::Layout& layout, auto&& with_kernel) {
            cg::SolverKernel kernel(problem, layout);
            return with_kernel(kernel);
        });

    Outcome outcome = outcome_of("cg", world, problem, result, timers);
    outcome.size = {problem.order};
    outcome.iterations = problem.iterations;
    outcome.tolerance = cg::kTolerance;
    outcome.checks = {checked("zeta", result.zeta, problem.zeta)};
    return outcome;
}

}  // namespace linkworth::npb
