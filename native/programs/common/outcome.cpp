// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <algorithm>
#include <cmath>

namespace linkworth::npb {

double relative_error(double value, double reference) { return std::fabs((value - reference) / reference); }

bool verified(const Outcome& outcome) {
    const auto passes = [&](const Check& check) { return check.relative_error <= outcome.tolerance; };
    return !outcome.checks.empty() && std::all_of(outcome.checks.begin(), outcome.checks.end(), passes);
}

}  // namespace linkworth::npb
