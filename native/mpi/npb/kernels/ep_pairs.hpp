// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../programs/ep.hpp"

namespace linkworth::npb::ep {

/// Generates and tallies pairs, many lanes at a time.
class PairKernel {
  public:
    Tally tally(Share share);
};

}  // namespace linkworth::npb::ep
