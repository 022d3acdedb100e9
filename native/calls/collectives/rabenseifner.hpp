// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "calls/collectives/types.hpp"
#include "calls/schedule.hpp"

namespace linkworth::replay::collectives {

/// Rabenseifner: reduce-scatter by vector halving and distance doubling. Then the pieces go back the same
/// way, to all ranks, or to `root` only. If P is no power of two, ranks first fold in pairs: one gives the
/// other its whole vector (MPICH), or, `by_halves`, each reduces one half of it (Open MPI).
Schedule halving_then_collect(Rank me, Rank size, Bytes bytes, Bytes element, std::optional<Rank> root,
                              bool by_halves);

}  // namespace linkworth::replay::collectives
