// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Leaves with 0 if the verdict is right in each case, else with the case's number.
#include <cmath>

#include "common/outcome.hpp"

using namespace linkworth::npb;

namespace {

bool passes(std::vector<double> values, double reference) {
    Outcome outcome;
    outcome.tolerance = 1e-8;
    for (const double value : values)
        outcome.checks.push_back({"value", value, reference, relative_error(value, reference)});
    return verified(outcome);
}

}  // namespace

int main() {
    if (!passes({2.0}, 2.0)) return 1;
    if (!passes({2.0 + 1.9e-8}, 2.0)) return 2;
    if (passes({2.0 + 2.1e-8}, 2.0)) return 3;
    if (!passes({-2.0 + 1.9e-8}, -2.0)) return 4;
    if (passes({2.0}, -2.0)) return 5;
    if (passes({2.0, 2.0, 3.0}, 2.0)) return 6;
    if (passes({std::nan("")}, 2.0)) return 7;
    if (passes({INFINITY}, 2.0)) return 8;
    if (passes({}, 2.0)) return 9;
    return 0;
}
