// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// MPICH's default decisions (ch4 device), for built-in operations that commute. Source: the tuning files
/// inside the library (maint/tuning/coll/mpir/generic.json and maint/tuning/coll/ch4/generic.json), read on
/// 2026-11-22 from Debian's libmpich 4.0.2-3 and from the mpich 5.0.2 wheel, which decide alike. Most limits
/// are those of Thakur, Rabenseifner and Gropp (2005). MPICH moves phases inside a node to shared memory
/// after some calls. They are modelled by the point-to-point algorithm of the same table over the memory
/// path. On exactly 8 ranks, 4.0.2 itself exchanges directly although its file requires Bruck's all-to-all.
#include <algorithm>
#include <bit>

#include "calls/collectives/operation.hpp"

namespace linkworth::replay::collectives {
namespace {

using enum Algorithm;

constexpr Bytes bcast_short = 12288;
constexpr Bytes bcast_long = 524288;
constexpr Rank bcast_few_ranks = 8;
constexpr Bytes reduce_short = 2048;
constexpr Bytes allreduce_short = 8;
constexpr Bytes iallreduce_short = 2048;
constexpr Bytes allgather_short_total = 81920;
constexpr Bytes allgather_long_total = 524288;
constexpr Bytes alltoall_short = 256;
constexpr Bytes ialltoall_short = 2048;
constexpr Bytes alltoall_medium = 32768;
constexpr Rank alltoall_few_ranks = 8;
constexpr Rank exchange_window = 32;  // MPIR_CVAR_ALLTOALL_THROTTLE
constexpr Bytes reduce_scatter_long = 524288;

/// The largest message that the shorter way takes: up to the limit itself when blocking, below it when not.
bool within(Bytes bytes, Bytes limit, bool nonblocking) {
    return nonblocking ? bytes < limit : bytes <= limit;
}

Choice flat_bcast(const Operation& operation) {
    const Bytes bytes = operation.bytes;
    const bool short_one = within(bytes, bcast_short, operation.nonblocking);
    if (operation.size < bcast_few_ranks || short_one) return {binomial};
    if (std::has_single_bit(operation.size) && within(bytes, bcast_long, operation.nonblocking))
        return {scatter_allgather};
    return {scatter_allgather_ring};
}

/// Compositions alpha, beta and gamma of ch4.
Choice node_bcast(const Operation& operation) {
    const Bytes bytes = operation.bytes;
    if (operation.nonblocking) return {node_leaders};
    if (operation.size < bcast_few_ranks || bytes < bcast_short) return {node_leaders};
    if (std::has_single_bit(operation.size) && bytes < bcast_long) return {node_leaders_inline};
    return flat_bcast(operation);
}

bool halves(const Operation& operation) {
    return operation.bytes / std::max<Bytes>(operation.element, 1) >= std::bit_floor(operation.size);
}

Choice allgather_by(Bytes total, Rank ranks) {
    if (std::has_single_bit(ranks)) return {total < allgather_long_total ? recursive_doubling : ring};
    return {total < allgather_short_total ? bruck : ring};
}

Choice alltoall(const Operation& operation) {
    const Bytes bruck_up_to = operation.nonblocking ? ialltoall_short : alltoall_short;
    if (operation.size >= alltoall_few_ranks && operation.bytes <= bruck_up_to) return {bruck};
    if (operation.bytes <= alltoall_medium) return {linear, 0, exchange_window};
    return {pairwise_xor};
}

}  // namespace

Choice decide_mpich(const Operation& operation, bool by_node) {
    const bool nodes = by_node && operation.topology != nullptr && operation.topology->hierarchical();
    const Bytes bytes = operation.bytes;
    switch (operation.what) {
        case Collective::barrier:
            if (operation.nonblocking) return {recursive_doubling};
            return {nodes ? node_leaders : bruck};
        case Collective::bcast: return nodes ? node_bcast(operation) : flat_bcast(operation);
        case Collective::reduce:
            if (nodes)
                return {bytes <= reduce_short && !operation.nonblocking ? node_leaders_inline : node_leaders};
            return {bytes <= reduce_short || !halves(operation) ? binomial : rabenseifner};
        case Collective::allreduce: {
            if (nodes && !operation.nonblocking) return {node_leaders};
            const bool short_one = bytes <= (operation.nonblocking ? iallreduce_short : allreduce_short);
            return {short_one || !halves(operation) ? recursive_doubling : rabenseifner};
        }
        case Collective::allgather: return allgather_by(bytes * operation.size, operation.size);
        case Collective::allgatherv: return allgather_by(total_of(*operation.receives), operation.size);
        case Collective::gather:
        case Collective::scatter: return {binomial};
        case Collective::alltoall: return alltoall(operation);
        case Collective::alltoallv:
        case Collective::alltoallw: return {linear, 0, exchange_window};
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block:
            return {bytes < reduce_scatter_long ? recursive_halving : pairwise};
        case Collective::scan:
            return {nodes && operation.topology->consecutive ? node_leaders : recursive_doubling};
        case Collective::exscan: return {recursive_doubling};
        case Collective::gatherv:
        case Collective::scatterv:
        case Collective::neighbor_allgather:
        case Collective::neighbor_allgatherv:
        case Collective::neighbor_alltoall:
        case Collective::neighbor_alltoallv:
        case Collective::neighbor_alltoallw:
        case Collective::none: break;
    }
    return {linear};
}

}  // namespace linkworth::replay::collectives
