// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Which algorithm a collective call uses.
#pragma once

#include "replay/collectives/algorithms.hpp"
#include "tracefile/event.hpp"

namespace linkworth::replay::collectives {

/// The steps of rank `me` of `size` in the collective that `shape` records. Thresholds by bytes and ranks are
/// those of Thakur, Rabenseifner and Gropp (2005), which MPICH and its descendants use. Throws
/// `std::invalid_argument` where the shape's per-peer counts do not fit the communicator.
Schedule schedule_of(const tracefile::Shape& shape, Rank me, Rank size);

/// The agreement that a communicator's constructor needs: an all-reduce of a few bytes.
Schedule constructor_schedule(Rank me, Rank size);

}  // namespace linkworth::replay::collectives
