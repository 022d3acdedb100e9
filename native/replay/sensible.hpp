// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Keeps numbers out of the simulation that no order of time can be made of.
#pragma once

#include "replay/replay.hpp"

namespace linkworth::replay {

/// Throws ReplayError with the name of the first number that is NaN, negative, or infinite without being a
/// limit.
void check_sensible(const ReplayRequest& request);

/// Throws the ReplayError of a time that is not finite.
[[noreturn]] void refuse_infinite_time();

/// Throws ReplayError if a time of the result is not finite: numbers that are right one by one can still
/// overflow together.
void check_finite(const ReplayResult& result);

}  // namespace linkworth::replay
