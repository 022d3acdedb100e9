// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Algorithms from which MPI libraries build collectives. Each function returns the steps of rank `me` of
/// `size` ranks. Bytes are bytes of message data. Written from the papers: Thakur, Rabenseifner, Gropp,
/// "Optimization of Collective Communication Operations in MPICH", IJHPCA 19(1), 2005; Pjesivac-Grbovic and
/// others, "Performance analysis of MPI collective operations", Cluster Computing 10, 2007 (trees, pipelines,
/// split-binary); Bruck and others, IEEE TPDS 8(11), 1997; Chen and others, HPC-Asia 2005 (neighbour
/// exchange); Traff, EuroPVM/MPI 2005 (butterfly); Hensgen, Finkel, Manber, IJPP 17(1), 1988 (dissemination).
#pragma once

#include <optional>

#include "calls/collectives/trees.hpp"
#include "calls/collectives/types.hpp"
#include "calls/schedule.hpp"

namespace linkworth::replay::collectives {

// ---- barriers.cpp ----

/// ceil(log2 P) rounds of empty messages (Open MPI's "bruck").
Schedule barrier_dissemination(Rank me, Rank size);
/// Pairs at rising distances; the ranks above the largest power of two announce themselves and are released.
Schedule barrier_recursive_doubling(Rank me, Rank size);
/// Twice round the ring.
Schedule barrier_double_ring(Rank me, Rank size);
/// All to rank 0, then rank 0 to all.
Schedule barrier_linear(Rank me, Rank size);
/// Up a binomial tree and down again.
Schedule barrier_tree(Rank me, Rank size);

// ---- broadcasts.cpp ----

/// Sends segments along a tree. `blocking_sends`: one child at a time.
Schedule bcast_tree(Tree tree, Bytes bytes, Bytes segment, bool blocking_sends);
/// The halves of the message down the two sides of a binary tree, then exchanged between the sides.
Schedule bcast_split_binary(Rank me, Rank size, Rank root, Bytes bytes, Bytes segment);
/// Binomial scatter of P pieces, then an all-gather of them (ring, or recursive doubling if P is a power of
/// two).
Schedule bcast_scatter_allgather(Rank me, Rank size, Rank root, Bytes bytes, bool ring);

// ---- reduces.cpp ----

/// Sends segments along a tree and combines them on the way.
Schedule reduce_tree(Tree tree, Bytes bytes, Bytes segment);
/// Along the in-order binary tree to the last rank, which sends the result to the root.
Schedule reduce_in_order_binary(Rank me, Rank size, Rank root, Bytes bytes, Bytes segment);
/// The root receives and combines one rank's vector after the other, from the last rank on.
Schedule reduce_linear(Rank me, Rank size, Rank root, Bytes bytes);
/// Rabenseifner: reduce-scatter by recursive halving, then a binomial gather of the pieces. `by_halves`: how
/// ranks fold, see rabenseifner.hpp.
Schedule reduce_scatter_gather(Rank me, Rank size, Rank root, Bytes bytes, Bytes element, bool by_halves);

// ---- allreduces.cpp ----

Schedule allreduce_recursive_doubling(Rank me, Rank size, Bytes bytes);
/// Rabenseifner: reduce-scatter by recursive halving, all-gather by recursive doubling.
Schedule allreduce_rabenseifner(Rank me, Rank size, Bytes bytes, Bytes element, bool by_halves);
/// Reduce-scatter round the ring (each block in segments), then an all-gather round the ring.
Schedule allreduce_ring(Rank me, Rank size, Bytes bytes, Bytes element, Bytes segment);

// ---- reduce_scatters.cpp ----

Schedule reduce_scatter_pairwise(Rank me, Pieces pieces);
Schedule reduce_scatter_halving(Rank me, Pieces pieces);
/// Blocks move round the ring and are combined at each stop.
Schedule reduce_scatter_ring(Rank me, Pieces pieces);
/// Halving between partners at rising distances. At the end the blocks go to their owners. `permuted`: if P
/// is a power of two, the blocks are ordered so that they end at their owners (equal blocks only).
Schedule reduce_scatter_butterfly(Rank me, Pieces pieces, bool permuted);
/// Exchanges in each round all blocks but those of the own side. Works for operations that do not commute.
Schedule reduce_scatter_doubling(Rank me, Pieces pieces);

// ---- scans.cpp ----

/// Inclusive and exclusive prefix reductions.
Schedule scan_linear(Rank me, Rank size, Bytes bytes);
Schedule scan_recursive_doubling(Rank me, Rank size, Bytes bytes);

// ---- gathers.cpp ----

Schedule gather_binomial(Rank me, Rank size, Rank root, Bytes piece);
Schedule scatter_binomial(Rank me, Rank size, Rank root, Bytes piece);
/// The root exchanges with every rank at once. `pieces` contains the pieces at the root; elsewhere only `own`
/// matters. Ranks without data send nothing.
Schedule gather_linear(Rank me, Rank size, Rank root, Bytes own, Pieces pieces);
Schedule scatter_linear(Rank me, Rank size, Rank root, Bytes own, Pieces pieces);
/// The root requests from each rank in turn its first `segment` bytes and receives the rest meanwhile.
Schedule gather_linear_sync(Rank me, Rank size, Rank root, Bytes piece, Bytes segment);

// ---- allgathers.cpp ----

/// P a power of two.
Schedule allgather_recursive_doubling(Rank me, Pieces pieces);
Schedule allgather_bruck(Rank me, Pieces pieces);
/// P - 1 steps to the right neighbour.
Schedule allgather_ring(Rank me, Pieces pieces);
/// P even: pairs of neighbours to the left and the right in turn, two blocks a step.
Schedule allgather_neighbor_exchange(Rank me, Pieces pieces);

// ---- alltoalls.cpp ----

Schedule alltoall_bruck(Rank me, Rank size, Bytes piece);
/// All receives and sends are posted `window` at a time (0: all at once).
Schedule alltoall_linear(Rank me, Rank size, Bytes piece, Rank window);
/// P - 1 steps, each with one partner to send to and one to receive from. `exclusive_or`: the same partner
/// for both if P is a power of two.
Schedule alltoall_pairwise(Rank me, Rank size, Bytes piece, bool exclusive_or);
Schedule alltoallv_pairwise(Rank me, Rank size, Counts sends, Counts receives);
/// `window` at a time; pairs without data exchange nothing.
Schedule alltoallv_linear(Rank me, Rank size, Counts sends, Counts receives, Rank window);

}  // namespace linkworth::replay::collectives
