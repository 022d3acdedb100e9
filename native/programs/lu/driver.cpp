// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "lu.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "../flow/checks.hpp"
#include "pencil.hpp"

namespace linkworth::npb {

Outcome run_lu(MpiCommunicator& world, const Options& options) {
    const lu::Class& problem = class_to_run(lu::kClasses, options, world);
    lu::Timers timers(lu::kPhases, options.timers);
    const lu::Result result =
        lu::run(world, problem, options.timers, timers,
                [](const lu::Class& agreed, const lu::Layout& layout, auto&& with_kernel) {
                    lu::PencilKernel kernel(agreed, layout);
                    return with_kernel(kernel);
                });

    Outcome outcome = flow::outcome_of("lu", world, problem, result, timers, result.residuals, result.errors);
    outcome.checks.push_back(checked("surface integral", result.surface_integral, problem.surface_integral));
    return outcome;
}

}  // namespace linkworth::npb
