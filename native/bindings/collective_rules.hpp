// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Names of MPI libraries and of collective algorithms, as Python gives them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "calls/collectives/operation.hpp"

namespace linkworth::bindings {

/// [(collective, algorithm, segment bytes)]
using ForcedCollectives = std::vector<std::tuple<std::string, std::string, std::uint64_t>>;

/// Throws ReplayError for unknown names.
replay::collectives::Rules collective_rules(const std::string& library, const ForcedCollectives& forced);

/// Reads `linkworth.model.collectives.CollectiveRules`. Throws ReplayError for unknown names.
replay::collectives::Rules collective_rules(nanobind::handle rules);

/// {collective: [algorithm]}
std::map<std::string, std::vector<std::string>> collective_algorithms();

}  // namespace linkworth::bindings
