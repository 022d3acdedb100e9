// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "sp.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "../flow/checks.hpp"
#include "../flow/fill.hpp"
#include "solver.hpp"

namespace linkworth::npb {

Outcome run_sp(MpiCommunicator& world, const Options& options) {
    const sp::Class& problem = class_to_run(sp::kClasses, options, world);
    sp::Timers timers(sp::kPhases, options.timers);
    const sp::Result result =
        sp::run(world, problem, options.timers, timers, [&](const sp::Layout& layout, auto&& with_kernel) {
            sp::SolverKernel kernel(problem, layout);
            return with_kernel(kernel);
        });

    return flow::outcome_of("sp", world, problem, result, timers,
                            flow::root_mean_squares(result.residual_squares, problem.points),
                            flow::root_mean_squares(result.error_squares, problem.points));
}

}  // namespace linkworth::npb
