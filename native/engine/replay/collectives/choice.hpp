// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Construction of a rank's steps from a recorded call.
#pragma once

#include "replay/collectives/intergroup.hpp"
#include "replay/collectives/operation.hpp"
#include "replay/schedule.hpp"
#include "tracefile/event.hpp"

namespace linkworth::replay::collectives {

/// Returns the steps of rank `me` of `size` in the collective that `shape` records, on an intra-communicator
/// with `topology`. `rules` and `topology` must outlive the schedule. Throws `std::invalid_argument` if the
/// shape's root or per-peer counts do not fit the communicator.
Schedule schedule_of(const Rules& rules, const tracefile::Shape& shape, Rank me, Rank size,
                     const Topology* topology);

/// The same on an inter-communicator: `me` is the rank in the local group, peers are ranks of the union.
Schedule schedule_between(const Rules& rules, const tracefile::Shape& shape, Rank me, const Sides& sides);

/// The agreement that a communicator's constructor needs: an all-reduce of a few bytes.
Schedule constructor_schedule(Rank me, Rank size);

}  // namespace linkworth::replay::collectives
