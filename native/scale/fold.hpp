// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Loops of a sequence.
#pragma once

#include <cstdint>
#include <vector>

#include "scale/grammar.hpp"

namespace linkworth::scale {

/// Folds repetitions from the inside out, as power-regular section descriptors do (ScalaTrace, 2009).
Grammar fold(const std::vector<std::int64_t>& symbols);

}  // namespace linkworth::scale
