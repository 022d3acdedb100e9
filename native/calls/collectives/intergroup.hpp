// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Collectives between the two groups of an inter-communicator.
#pragma once

#include <vector>

#include "calls/collectives/operation.hpp"
#include "calls/schedule.hpp"

namespace linkworth::replay::collectives {

/// One group's view of an inter-communicator: both groups in ranks of the union of the two.
struct Sides {
    std::vector<Rank> local;
    std::vector<Rank> remote;
};

/// MPI's roots of an inter-communicator.
enum class Part : std::uint8_t {
    is_root,         ///< MPI_ROOT
    idle,            ///< MPI_PROC_NULL: in the root's group
    towards_remote,  ///< `operation.root` is the root's rank in the remote group
};

/// Returns the steps of rank `operation.me` of the local group, in ranks of the union. `piece_received` is
/// the bytes of one remote piece. MPICH 4.0 and Open MPI's coll/inter use a leader of each group, its rank 0.
/// Large gathers and scatters of MPICH, all v-variants, and all-to-alls go directly. Sources: MPICH's tuning
/// file (mpich.cpp), names MPIR_*_inter_*; Open MPI ompi/mca/coll/inter/coll_inter_allreduce.c (read
/// 2026-11-22). No source was available for coll/inter's other collectives: they are assumed to use the
/// leaders, too.
Schedule build_between_groups(const Rules& rules, const Operation& operation, Part part, const Sides& sides,
                              Bytes piece_received);

}  // namespace linkworth::replay::collectives
