// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The "ranks" list of a trace's metadata.
#pragma once

#include <string>
#include <vector>

#include "tracefile/merge.hpp"

namespace linkworth::tracefile {

/// `metadata_json` (a JSON object without "ranks") with the list added as its last member. Throws TraceError
/// where it is no object.
std::string with_ranks(const std::string& metadata_json, const std::vector<MergedRank>& ranks);

}  // namespace linkworth::tracefile
