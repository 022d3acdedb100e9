// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Result of a program whose iterations are all alike, from replays of shorter runs of it.
#pragma once

#include "replay/replay.hpp"

namespace linkworth::replay {

/// Returns the result of a longer run: `more`, and `times` what it has beyond `few`. What is no amount is
/// that of `more`.
ReplayResult longer(const ReplayResult& few, const ReplayResult& more, double times);

}  // namespace linkworth::replay
