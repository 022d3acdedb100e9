// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "ft.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "solver.hpp"

namespace linkworth::npb {

Outcome run_ft(MpiCommunicator& world, const Options& options) {
    const ft::Class& problem = class_to_run(ft::kClasses, options, world);
    ft::Timers timers(ft::kPhases, options.timers);
    const ft::Result result =
        ft::run(world, problem, options.timers, timers, [&](const ft::Layout& layout, auto&& with_kernel) {
            ft::SolverKernel kernel(problem, layout, world.rank());
            return with_kernel(kernel);
        });

    Outcome outcome = outcome_of("ft", world, problem, result, timers);
    outcome.size = {problem.nx, problem.ny, problem.nz};
    outcome.iterations = problem.iterations;
    outcome.tolerance = ft::kTolerance;
    for (int i = 0; i < problem.iterations; ++i) {
        const ft::Checksum value = result.checksums[i], reference = problem.checksums[i];
        outcome.checks.push_back({"checksum " + std::to_string(i + 1), value.real(), reference.real(),
                                  std::abs((value - reference) / reference)});
    }
    return outcome;
}

}  // namespace linkworth::npb
