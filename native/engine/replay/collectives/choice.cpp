// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/collectives/choice.hpp"

#include <bit>
#include <stdexcept>

namespace linkworth::replay::collectives {
namespace {

using tracefile::Collective;
using tracefile::Shape;

// Thresholds in bytes, from Thakur, Rabenseifner, Gropp (IJHPCA 19(1), 2005), sections 4 to 8.
constexpr Bytes bcast_short = 12288;
constexpr Bytes bcast_long = 524288;
constexpr Rank bcast_few_ranks = 8;
constexpr Bytes reduce_short = 2048;
constexpr Bytes allreduce_short = 2048;
constexpr Bytes allgather_short_total = 81920;
constexpr Bytes allgather_long_total = 524288;
constexpr Bytes alltoall_short = 256;
constexpr Bytes alltoall_medium = 32768;
constexpr Rank alltoall_few_ranks = 8;
constexpr Rank alltoall_window = 32;
constexpr Bytes reduce_scatter_long = 524288;

void require(const Counts& counts, Rank size) {
    if (counts.size() != size) throw std::invalid_argument("per-peer counts do not fit the communicator");
}

Schedule bcast(const Shape& shape, Rank me, Rank size, Rank root) {
    if (shape.bytes < bcast_short || size < bcast_few_ranks)
        return bcast_binomial(me, size, root, shape.bytes);
    const bool doubling = shape.bytes < bcast_long && std::has_single_bit(size);
    return bcast_scatter_allgather(me, size, root, shape.bytes, !doubling);
}

Schedule allgather(Bytes piece, Rank me, Rank size) {
    const Bytes total = piece * size;
    if (std::has_single_bit(size) && total < allgather_long_total)
        return allgather_recursive_doubling(me, size, piece);
    if (total < allgather_short_total) return allgather_bruck(me, size, piece);
    return allgather_ring(me, size, Counts(size, piece));
}

Schedule alltoall(Bytes piece, Rank me, Rank size) {
    if (piece <= alltoall_short && size >= alltoall_few_ranks) return alltoall_bruck(me, size, piece);
    if (piece <= alltoall_medium) return alltoall_linear(me, size, piece, alltoall_window);
    return alltoall_pairwise(me, size, piece);
}

Schedule reduce_scatter(const Shape& shape, Rank me, Rank size) {
    if (shape.bytes < reduce_scatter_long) return reduce_scatter_halving(me, size, shape.bytes);
    if (shape.recv_counts.empty()) return reduce_scatter_pairwise(me, size, Counts(size, shape.bytes / size));
    require(shape.recv_counts, size);
    return reduce_scatter_pairwise(me, size, shape.recv_counts);
}

}  // namespace

Schedule constructor_schedule(Rank me, Rank size) { return allreduce_recursive_doubling(me, size, 8); }

Schedule schedule_of(const Shape& shape, Rank me, Rank size) {
    const Rank root = shape.peer < 0 ? 0 : static_cast<Rank>(shape.peer);
    if (root >= size) throw std::invalid_argument("the root is not a rank of the communicator");
    switch (shape.collective) {
        case Collective::barrier:
            return barrier_dissemination(me, size);
        case Collective::bcast:
            return bcast(shape, me, size, root);
        case Collective::gather:
            return gather_binomial(me, size, root, me == root ? shape.recv_bytes : shape.bytes);
        case Collective::scatter:
            return scatter_binomial(me, size, root, me == root ? shape.bytes : shape.recv_bytes);
        case Collective::gatherv:
            if (me == root) require(shape.recv_counts, size);
            return gather_linear(me, size, root, shape.bytes, shape.recv_counts);
        case Collective::scatterv:
            if (me == root) require(shape.send_counts, size);
            return scatter_linear(me, size, root, shape.recv_bytes, shape.send_counts);
        case Collective::allgather:
            return allgather(shape.bytes, me, size);
        case Collective::allgatherv:
            require(shape.recv_counts, size);
            return allgather_ring(me, size, shape.recv_counts);
        case Collective::alltoall:
            return alltoall(shape.bytes, me, size);
        case Collective::alltoallv:
        case Collective::alltoallw:
            require(shape.send_counts, size);
            require(shape.recv_counts, size);
            return alltoallv_pairwise(me, size, shape.send_counts, shape.recv_counts);
        case Collective::reduce:
            if (shape.bytes <= reduce_short || size < 4) return reduce_binomial(me, size, root, shape.bytes);
            return reduce_scatter_gather(me, size, root, shape.bytes);
        case Collective::allreduce:
            if (shape.bytes <= allreduce_short || size < 4)
                return allreduce_recursive_doubling(me, size, shape.bytes);
            return allreduce_rabenseifner(me, size, shape.bytes);
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block:
            return reduce_scatter(shape, me, size);
        case Collective::scan:
        case Collective::exscan:
            return scan_recursive_doubling(me, size, shape.bytes);
        case Collective::none:
            break;
    }
    throw std::invalid_argument("the call is no collective that the replay models");
}

}  // namespace linkworth::replay::collectives
