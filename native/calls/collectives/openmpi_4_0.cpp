// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Open MPI from 1.3 to 4.0, coll/tuned, fixed decisions. Source of the limits: ompi/mca/coll/tuned/
/// coll_tuned_decision_fixed.c of the 3.x series (read 2026-11-22 in github.com/KKraljic/ompi at 6dc88555),
/// for operations that commute. Collectives that coll/tuned leaves to coll/basic are linear there.
#include <algorithm>
#include <bit>

#include "calls/collectives/operation.hpp"

namespace linkworth::replay::collectives {
namespace {

using enum Algorithm;

constexpr Bytes kibi = 1024;

/// A line in the plane of message bytes and ranks that parts two algorithms.
struct Line {
    double ranks_per_byte;
    double ranks;

    double at(Bytes bytes) const { return ranks_per_byte * static_cast<double>(bytes) + ranks; }
};

Choice bcast(const Operation& operation) {
    constexpr Line pipeline_128k{1.6134e-6, 2.1102};
    constexpr Line pipeline_64k{2.3679e-6, 1.1787};
    constexpr Line pipeline_16k{3.2118e-6, 8.7936};
    const Bytes bytes = operation.bytes;
    const double ranks = operation.size;
    if (bytes < 2048) return {binomial_doubling};
    if (bytes < 370728) return {split_binary, kibi};
    if (ranks < pipeline_128k.at(bytes)) return {pipeline, 128 * kibi};
    if (ranks < 13) return {split_binary, 8 * kibi};
    if (ranks < pipeline_64k.at(bytes)) return {pipeline, 64 * kibi};
    if (ranks < pipeline_16k.at(bytes)) return {pipeline, 16 * kibi};
    return {pipeline, 8 * kibi};
}

Choice reduce(const Operation& operation) {
    constexpr Line binomial_1k{0.6016 / 1024, 1.3496};
    constexpr Line pipeline_1k{0.0410 / 1024, 9.7128};
    constexpr Line binary_32k{0.0422 / 1024, 1.1614};
    constexpr Line pipeline_32k{0.0033 / 1024, 1.6761};
    const Bytes bytes = operation.bytes;
    const double ranks = operation.size;
    if (ranks < 8 && bytes < 512) return {linear};
    if ((ranks < 8 && bytes < 20480) || bytes < 2048 || bytes <= operation.element) return {binomial};
    if (ranks > binomial_1k.at(bytes)) return {binomial, kibi};
    if (ranks > pipeline_1k.at(bytes)) return {pipeline, kibi};
    if (ranks > binary_32k.at(bytes)) return {binary, 32 * kibi};
    return {pipeline, ranks > pipeline_32k.at(bytes) ? 32 * kibi : 64 * kibi};
}

Choice allreduce(const Operation& operation) {
    constexpr Bytes segment = kibi * kibi;
    const Bytes bytes = operation.bytes;
    if (bytes < 10000) return {recursive_doubling};
    if (bytes / std::max<Bytes>(operation.element, 1) <= operation.size) return {nonoverlapping};
    if (operation.size * segment >= bytes) return {ring};
    return {segmented_ring, segment};
}

Choice allgather_by(Bytes total, Rank ranks, Algorithm short_one) {
    if (ranks == 2) return {two_proc};
    if (total < 50000) return {short_one};
    return {ranks % 2 == 1 ? ring : neighbor};
}

Choice gather(Rank ranks, Bytes piece) {
    if (piece > 92160) return {linear_sync, 32 * kibi};
    if (piece > 6000) return {linear_sync, kibi};
    if (ranks > 60 || (ranks > 10 && piece < kibi)) return {binomial};
    return {linear};
}

Choice reduce_scatter(Rank ranks, Bytes total) {
    constexpr Line halving{0.0012, 8.0};
    const bool short_one = total <= 12 * kibi || (total <= 256 * kibi && std::has_single_bit(ranks)) ||
                           ranks >= halving.at(total);
    return {short_one ? recursive_halving : ring};
}

}  // namespace

Choice decide_openmpi_4_0(const Operation& operation) {
    const Rank ranks = operation.size;
    const Bytes bytes = operation.bytes;
    switch (operation.what) {
        case Collective::allreduce: return allreduce(operation);
        case Collective::alltoall:
            if (ranks == 2) return {two_proc};
            if (bytes < 200 && ranks > 12) return {bruck};
            return {bytes < 3000 ? linear : pairwise};
        case Collective::alltoallv: return {pairwise};
        case Collective::barrier:
            if (ranks == 2) return {two_proc};
            return {std::has_single_bit(ranks) ? recursive_doubling : bruck};
        case Collective::bcast: return bcast(operation);
        case Collective::reduce: return reduce(operation);
        case Collective::reduce_scatter: return reduce_scatter(ranks, bytes);
        case Collective::allgather:
            return allgather_by(bytes * ranks, ranks,
                                std::has_single_bit(ranks) ? recursive_doubling : bruck);
        case Collective::allgatherv: return allgather_by(total_of(*operation.receives), ranks, bruck);
        case Collective::gather: return gather(ranks, bytes);
        case Collective::scatter: return {ranks > 10 && bytes < 300 ? binomial : linear};
        default: return {linear};
    }
}

}  // namespace linkworth::replay::collectives
