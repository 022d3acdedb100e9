// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "../driver.hpp"
#include "model.hpp"

namespace linkworth::npb::flow {

/// Collective. The outcome of BT, SP or LU, with one check per component of the norms: "residual 1" and so
/// on.
template <class Result, std::size_t N>
Outcome outcome_of(std::string_view program, MpiCommunicator& world, const Class& problem,
                   const Result& result, const PhaseTimers<N>& timers, const State& residual,
                   const State& error) {
    Outcome outcome = npb::outcome_of(program, world, problem, result, timers);
    outcome.size = {problem.points, problem.points, problem.points};
    outcome.iterations = problem.iterations;
    outcome.tolerance = kTolerance;
    const auto add_checks = [&](const std::string& what, const State& values, const State& references) {
        for (int m = 0; m < kComponents; ++m)
            outcome.checks.push_back(checked(what + " " + std::to_string(m + 1), values[m], references[m]));
    };
    add_checks("residual", residual, problem.residual);
    add_checks("error", error, problem.error);
    return outcome;
}

}  // namespace linkworth::npb::flow
