// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ep.hpp"

namespace linkworth::npb::ep {

/// Generates pairs of Gaussian deviates batch by batch and counts them by annulus.
class PairKernel {
  public:
    Tally tally(Share share);
};

}  // namespace linkworth::npb::ep
