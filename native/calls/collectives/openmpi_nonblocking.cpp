// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Open MPI's non-blocking and persistent collectives: coll/libnbc, default decisions. Source:
/// nbc_iallreduce.c, nbc_ibcast.c, nbc_ialltoall.c and nbc_ireduce.c in ompi/mca/coll/libnbc of the 5.0
/// series (read 2026-11-22 in github.com/BullSequana/OpenMPI5 at c3318e2f); the others by Hoefler, Lumsdaine,
/// Rehm, "Implementation and performance analysis of non-blocking collective operations for MPI", SC 2007:
/// linear, a barrier by dissemination.
#include <algorithm>
#include <bit>

#include "calls/collectives/operation.hpp"

namespace linkworth::replay::collectives {

Choice decide_openmpi_nonblocking(const Operation& operation) {
    using enum Algorithm;
    constexpr Bytes binomial_below = 65536;
    constexpr Rank linear_bcast_up_to = 4;
    constexpr Bytes chain_segment = 8192;
    const Rank ranks = operation.size;
    const Bytes bytes = operation.bytes;
    const Bytes count = bytes / std::max<Bytes>(operation.element, 1);
    const bool halves = count >= std::bit_floor(ranks);
    switch (operation.what) {
        case Collective::barrier: return {bruck};
        case Collective::bcast: return {ranks <= linear_bcast_up_to ? linear : binomial_doubling};
        case Collective::reduce:
            if (ranks > 2 && halves) return {rabenseifner};
            if (ranks > 4 || bytes < binomial_below) return {binomial};
            return {pipeline, chain_segment};
        case Collective::allreduce:
            if (ranks < 4 || bytes < binomial_below) return {tree};
            return {halves ? rabenseifner : ring};
        case Collective::alltoall: return {pairwise};
        default: return {linear};
    }
}

}  // namespace linkworth::replay::collectives
