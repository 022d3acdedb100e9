// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "imbalance.hpp"

namespace linkworth::npb::imbalance {

/// One division and a few sums a point, nothing from memory.
class SumKernel {
  public:
    double integrate(Share share, std::int64_t points) const;
};

}  // namespace linkworth::npb::imbalance
