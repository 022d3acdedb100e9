// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Puts the events of a rank's threads, each in blocks of its own, into one stream in order of time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "trace/part.hpp"

namespace linkworth::tracefile {

/// Returns whether more than the first thread of the rank called MPI.
bool has_threads(const Part& part);

/// Calls `take` with blocks that together contain the events of all threads. A call comes at its end. Its gap
/// counts from the end of the call before, of whichever thread, so that gaps and durations still add up to
/// the rank's time. The part of a call before that end is its overlap. Keeps one block of each thread.
void merge_threads(const Part& part, const std::function<void(const PartBlock&)>& take);

}  // namespace linkworth::tracefile
