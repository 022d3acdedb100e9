// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "bt.hpp"

#include "../driver.hpp"
#include "../drivers.hpp"
#include "../flow/checks.hpp"
#include "../flow/fill.hpp"
#include "solver.hpp"

namespace linkworth::npb {

Outcome run_bt(MpiCommunicator& world, const Options& options) {
    const bt::Class& problem = class_to_run(bt::kClasses, options, world);
    bt::Timers timers(bt::kPhases, options.timers);
    const bt::Result result = bt::run(world, problem, options.timers, timers,
                                      [&](const flow::MultiPartition& layout, auto&& with_kernel) {
                                          bt::SolverKernel kernel(problem, layout);
                                          return with_kernel(kernel);
                                      });

    return flow::outcome_of("bt", world, problem, result, timers,
                            flow::root_mean_squares(result.residual_squares, problem.points),
                            flow::root_mean_squares(result.error_squares, problem.points));
}

}  // namespace linkworth::npb
