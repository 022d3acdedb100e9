// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Metadata that a merge adds to a trace.
#pragma once

#include <string>
#include <vector>

#include "trace/merge.hpp"

namespace linkworth::tracefile {

/// Returns `metadata_json` (a JSON object without "ranks" and "damage") with the two lists added as its last
/// members. Throws TraceError if it is no object.
std::string with_ranks(const std::string& metadata_json, const std::vector<MergedRank>& ranks,
                       const std::vector<std::string>& damage);

}  // namespace linkworth::tracefile
