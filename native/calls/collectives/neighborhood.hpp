// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Collectives over the neighbours of a communicator with a process topology (MPI-4.1, 8.6).
#pragma once

#include <cstdint>
#include <vector>

#include "calls/event.hpp"
#include "calls/schedule.hpp"

namespace linkworth::replay::collectives {

/// One rank's neighbours in the order of the collectives; MPI_PROC_NULL for a missing one.
struct Neighbours {
    std::vector<std::int32_t> sources;
    std::vector<std::int32_t> destinations;
};

bool is_neighborhood(tracefile::Collective collective);

/// Returns the steps of one of `size` ranks: a receive from each source and a send to each destination, all
/// posted at once, as in Open MPI ("basic") and MPICH. The shape is read only during this call. Throws
/// `std::invalid_argument` if the shape's lists or the neighbours do not fit.
Schedule neighborhood_schedule(const tracefile::Shape& shape, const Neighbours& neighbours,
                               std::uint32_t size);

}  // namespace linkworth::replay::collectives
