// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The algorithms that MPI libraries build collectives of. Each function gives the steps of rank `me` of
/// `size` ranks; bytes are of message data. Algorithms: Thakur, Rabenseifner, Gropp, "Optimization of
/// Collective Communication Operations in MPICH", IJHPCA 19(1), 2005; Bruck et al., IEEE TPDS 8(11), 1997;
/// Hensgen, Finkel, Manber (dissemination barrier), 1988.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/schedule.hpp"

namespace linkworth::replay::collectives {

using Rank = std::uint32_t;
using Bytes = std::uint64_t;
using Counts = std::vector<Bytes>;

/// ceil(log2 P) rounds of empty messages.
Schedule barrier_dissemination(Rank me, Rank size);

/// The whole message down a binomial tree.
Schedule bcast_binomial(Rank me, Rank size, Rank root, Bytes bytes);
/// Binomial scatter of P pieces, then an all-gather of them (ring, or recursive doubling where P is a power
/// of two).
Schedule bcast_scatter_allgather(Rank me, Rank size, Rank root, Bytes bytes, bool ring);

Schedule reduce_binomial(Rank me, Rank size, Rank root, Bytes bytes);
/// Rabenseifner: reduce-scatter by recursive halving, then a binomial gather of the pieces.
Schedule reduce_scatter_gather(Rank me, Rank size, Rank root, Bytes bytes);

Schedule allreduce_recursive_doubling(Rank me, Rank size, Bytes bytes);
/// Rabenseifner: reduce-scatter by recursive halving, all-gather by recursive doubling.
Schedule allreduce_rabenseifner(Rank me, Rank size, Bytes bytes);

Schedule gather_binomial(Rank me, Rank size, Rank root, Bytes piece);
Schedule scatter_binomial(Rank me, Rank size, Rank root, Bytes piece);
/// The root receives from every rank at once. `counts` holds the pieces at the root; elsewhere only `own`
/// matters.
Schedule gather_linear(Rank me, Rank size, Rank root, Bytes own, Counts counts);
Schedule scatter_linear(Rank me, Rank size, Rank root, Bytes own, Counts counts);

Schedule allgather_recursive_doubling(Rank me, Rank size, Bytes piece);
Schedule allgather_bruck(Rank me, Rank size, Bytes piece);
/// P - 1 steps to the right neighbour; `counts` holds every rank's piece.
Schedule allgather_ring(Rank me, Rank size, Counts counts);

Schedule alltoall_bruck(Rank me, Rank size, Bytes piece);
/// All receives and sends are posted `window` at a time.
Schedule alltoall_linear(Rank me, Rank size, Bytes piece, Rank window);
/// P - 1 steps, each with one partner to send to and one to receive from.
Schedule alltoall_pairwise(Rank me, Rank size, Bytes piece);
Schedule alltoallv_pairwise(Rank me, Rank size, Counts send_counts, Counts recv_counts);

/// `counts` holds the pieces by rank.
Schedule reduce_scatter_pairwise(Rank me, Rank size, Counts counts);
Schedule reduce_scatter_halving(Rank me, Rank size, Bytes total);

/// Inclusive and exclusive prefix reductions by recursive doubling.
Schedule scan_recursive_doubling(Rank me, Rank size, Bytes bytes);

}  // namespace linkworth::replay::collectives
