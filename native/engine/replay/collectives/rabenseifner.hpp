// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "replay/collectives/types.hpp"
#include "replay/schedule.hpp"

namespace linkworth::replay::collectives {

/// Rabenseifner: reduce-scatter by recursive halving; then the pieces go to all ranks by recursive doubling,
/// or to `root` up a binomial tree. Labels are chosen so that the root's is 0.
Schedule halving_then_collect(Rank me, Rank size, Bytes bytes, Bytes element, std::optional<Rank> root);

}  // namespace linkworth::replay::collectives
