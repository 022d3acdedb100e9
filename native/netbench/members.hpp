// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "settings.hpp"

namespace linkworth::netbench {

/// Who can do a test.
enum class Team {
    pair,       ///< two ranks
    two_sides,  ///< pairs: the first half of the members with the second half
    any         ///< two or more
};

/// Chooses the ranks that take part, in their order in the test; the first is always rank 0. `nodes` has the
/// node of each rank. Throws UsageError if there are too few of the requested kind.
std::vector<int> choose_members(Among among, Team team, const std::vector<int>& nodes);

}  // namespace linkworth::netbench
