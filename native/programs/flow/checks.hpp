// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../driver.hpp"
#include "model.hpp"

namespace linkworth::npb::flow {

/// Adds one check per component: "residual 1" and so on.
inline void add_checks(Outcome& outcome, const std::string& what, const State& values,
                       const State& references) {
    for (int m = 0; m < kComponents; ++m)
        outcome.checks.push_back(checked(what + " " + std::to_string(m + 1), values[m], references[m]));
}

}  // namespace linkworth::npb::flow
