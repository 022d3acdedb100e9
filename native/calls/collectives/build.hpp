// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Construction of a rank's steps from a decision.
#pragma once

#include <utility>
#include <vector>

#include "calls/collectives/operation.hpp"
#include "calls/schedule.hpp"

namespace linkworth::replay::collectives {

/// Returns the steps of `operation` according to `rules`. `rules` and the objects to which `operation` points
/// must outlive the schedule (lists of counts need not).
Schedule build(const Rules& rules, const Operation& operation);

/// The steps of `choice`, which `decide` gave, of an operation on several ranks that has data.
Schedule build(const Rules& rules, const Operation& operation, const Choice& choice);

/// One part of a collective that runs among some of its ranks.
struct Phase {
    Schedule steps;
    const std::vector<Rank>* ranks = nullptr;  ///< rank i of the part is `(*ranks)[i]`; null: all ranks
};

/// Runs one phase after the other.
Schedule in_sequence(std::vector<Phase> phases);

/// Each phase of `beside` runs by itself while those of `own` run one after the other. Ends when all have
/// ended. There are at most three phases beside, and none of them starts others (see `lanes`).
Schedule side_by_side(std::vector<Phase> beside, std::vector<Phase> own);

/// Node-aware algorithms: MPICH's compositions over node leaders, and Open MPI's coll/han.
Schedule build_by_node_leaders(const Rules& rules, const Operation& operation, bool inline_root);
Schedule build_han(const Rules& rules, const Operation& operation);

}  // namespace linkworth::replay::collectives
