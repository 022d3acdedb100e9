// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "ep.hpp"

#include <numeric>

#include "../driver.hpp"
#include "../drivers.hpp"
#include "pairs.hpp"

namespace linkworth::npb {

Outcome run_ep(MpiCommunicator& world, const Options& options) {
    const ep::Class& problem = find_class(ep::kClasses, options.letter);
    ep::PairKernel kernel;
    ep::Timers timers(ep::kPhases, options.timers);
    const ep::Result result = ep::run(world, kernel, problem, options.timers, timers);

    Outcome outcome = outcome_of("ep", world, problem, result, timers);
    outcome.size = {std::int64_t{1} << (problem.log2_pairs + 1)};
    outcome.operation = "Random numbers generated";
    outcome.tolerance = ep::kTolerance;
    const auto& annuli = result.tally.annuli;
    outcome.checks = {checked("sum of |X|", result.tally.sum_x, problem.sum_x),
                      checked("sum of |Y|", result.tally.sum_y, problem.sum_y),
                      checked("Gaussian pairs", std::accumulate(annuli.begin(), annuli.end(), 0.0),
                              problem.gaussian_pairs)};
    return outcome;
}

}  // namespace linkworth::npb
