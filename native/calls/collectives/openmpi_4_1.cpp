// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Fixed decisions of coll/tuned in Open MPI 4.1 and 5.0, for operations that commute. Source of the limits:
/// ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of the 5.0 series (copyright 2020 to 2024; read 2026-11-22
/// in github.com/BullSequana/OpenMPI5 at c3318e2f). All are without segments. Collectives that coll/tuned
/// leaves to coll/basic (gatherv, scatterv, scan, exscan, alltoallw) are linear there.
#include <bit>
#include <initializer_list>
#include <span>

#include "calls/collectives/operation.hpp"

namespace linkworth::replay::collectives {
namespace {

using enum Algorithm;

constexpr Bytes any_size = ~Bytes{0};
constexpr Rank any_ranks = ~Rank{0};
constexpr Rank knomial_radix = 4;  // coll_tuned_bcast_algorithm_knomial_radix, `ompi_info --all` of 4.1.4

/// Up to but not including `below` bytes.
struct Limit {
    Bytes below;
    Algorithm algorithm;
};

constexpr std::size_t most_limits = 11;

/// Up to but not including `below` ranks.
struct Row {
    Rank below;
    std::size_t count;
    Limit limits[most_limits];

    constexpr Row(Rank ranks, std::initializer_list<Limit> list)
        : below(ranks), count(list.size()), limits{} {
        std::size_t index = 0;
        for (const Limit& limit : list) limits[index++] = limit;
    }
};

constexpr Row allreduce_rows[] = {
    {4,
     {{8, ring},
      {4096, recursive_doubling},
      {8192, ring},
      {16384, recursive_doubling},
      {65536, ring},
      {262144, segmented_ring},
      {any_size, rabenseifner}}},
    {8, {{16, ring}, {8192, recursive_doubling}, {any_size, rabenseifner}}},
    {16, {{8192, recursive_doubling}, {any_size, rabenseifner}}},
    {32, {{64, segmented_ring}, {4096, recursive_doubling}, {any_size, rabenseifner}}},
    {64, {{128, segmented_ring}, {any_size, rabenseifner}}},
    {128, {{262144, recursive_doubling}, {any_size, rabenseifner}}},
    {256, {{131072, nonoverlapping}, {262144, recursive_doubling}, {any_size, rabenseifner}}},
    {512, {{4096, nonoverlapping}, {any_size, rabenseifner}}},
    {2048, {{2048, nonoverlapping}, {16384, recursive_doubling}, {any_size, rabenseifner}}},
    {4096,
     {{2048, nonoverlapping}, {4096, segmented_ring}, {16384, recursive_doubling}, {any_size, rabenseifner}}},
    {any_ranks,
     {{2048, nonoverlapping},
      {16384, segmented_ring},
      {32768, recursive_doubling},
      {any_size, rabenseifner}}},
};

constexpr Row alltoall_rows[] = {
    {3,
     {{2, pairwise},
      {4, two_proc},
      {16, pairwise},
      {64, two_proc},
      {256, pairwise},
      {4096, two_proc},
      {32768, pairwise},
      {262144, linear_sync},
      {1048576, two_proc},
      {any_size, pairwise}}},
    {8,
     {{8192, linear_sync},
      {16384, linear},
      {65536, linear_sync},
      {524288, linear},
      {1048576, pairwise},
      {any_size, linear}}},
    {16, {{262144, linear_sync}, {any_size, linear}}},
    {32,
     {{4, linear_sync},
      {512, bruck},
      {8192, linear_sync},
      {32768, linear},
      {262144, linear_sync},
      {524288, linear},
      {any_size, linear_sync}}},
    {64, {{512, bruck}, {524288, linear}, {any_size, linear_sync}}},
    {128, {{1024, bruck}, {2048, linear}, {4096, linear_sync}, {262144, linear}, {any_size, pairwise}}},
    {256, {{1024, bruck}, {2048, linear_sync}, {262144, linear}, {any_size, pairwise}}},
    {512, {{1024, bruck}, {8192, linear_sync}, {32768, linear}, {any_size, pairwise}}},
    {1024,
     {{512, bruck},
      {8192, linear_sync},
      {16384, linear},
      {131072, linear_sync},
      {262144, linear},
      {any_size, pairwise}}},
    {2048,
     {{512, bruck},
      {1024, linear_sync},
      {2048, linear},
      {16384, linear_sync},
      {262144, linear},
      {any_size, linear_sync}}},
    {4096, {{1024, bruck}, {4096, linear_sync}, {8192, linear}, {131072, linear_sync}, {any_size, linear}}},
    {any_ranks,
     {{2048, bruck},
      {8192, linear_sync},
      {16384, linear},
      {32768, linear_sync},
      {65536, linear},
      {any_size, linear_sync}}},
};

constexpr Row alltoallv_rows[] = {
    {4, {{any_size, pairwise}}}, {64, {{any_size, linear}}},     {128, {{any_size, pairwise}}},
    {256, {{any_size, linear}}}, {1024, {{any_size, pairwise}}}, {any_ranks, {{any_size, linear}}},
};

constexpr Row barrier_rows[] = {
    {4, {{any_size, recursive_doubling}}},
    {8, {{any_size, linear}}},
    {64, {{any_size, recursive_doubling}}},
    {256, {{any_size, bruck}}},
    {512, {{any_size, tree}}},
    {1024, {{any_size, bruck}}},
    {4096, {{any_size, tree}}},
    {any_ranks, {{any_size, bruck}}},
};

constexpr Row bcast_rows[] = {
    {4,
     {{32, pipeline},
      {256, binary},
      {512, pipeline},
      {1024, knomial},
      {32768, linear},
      {131072, binary},
      {262144, chain},
      {524288, linear},
      {1048576, binomial_doubling},
      {any_size, binary}}},
    {8,
     {{64, binary},
      {128, binomial_doubling},
      {2048, binary},
      {8192, binomial_doubling},
      {1048576, linear},
      {any_size, chain}}},
    {16,
     {{8, knomial},
      {64, binary},
      {4096, knomial},
      {16384, binary},
      {32768, binomial_doubling},
      {any_size, linear}}},
    {32, {{4096, knomial}, {1048576, binomial_doubling}, {any_size, scatter_allgather}}},
    {64, {{2048, binomial_doubling}, {any_size, knomial}}},
    {128, {{any_size, knomial}}},
    {256, {{2, binomial_doubling}, {16384, binary}, {32768, linear}, {65536, binary}, {any_size, knomial}}},
    {1024, {{16384, knomial}, {32768, split_binary}, {any_size, knomial}}},
    {2048, {{524288, knomial}, {any_size, scatter_allgather}}},
    {4096, {{262144, knomial}, {any_size, scatter_allgather}}},
    {any_ranks, {{8192, knomial}, {16384, binary}, {262144, knomial}, {any_size, scatter_allgather}}},
};

constexpr Row reduce_rows[] = {
    {4,
     {{8, rabenseifner},
      {16, binary},
      {32, pipeline},
      {262144, linear},
      {524288, pipeline},
      {1048576, chain},
      {any_size, pipeline}}},
    {8,
     {{4096, binary},
      {65536, chain},
      {262144, binomial},
      {524288, linear},
      {1048576, binomial},
      {any_size, linear}}},
    {16, {{8192, binary}, {any_size, binomial}}},
    {32, {{4096, binary}, {any_size, binomial}}},
    {256, {{any_size, binomial}}},
    {512, {{8192, binomial}, {16384, in_order_binary}, {any_size, binomial}}},
    {2048, {{any_size, binomial}}},
    {4096,
     {{512, binomial},
      {1024, in_order_binary},
      {8192, binomial},
      {16384, in_order_binary},
      {any_size, binomial}}},
    {any_ranks,
     {{16, binomial},
      {32, in_order_binary},
      {1024, binomial},
      {2048, in_order_binary},
      {8192, binomial},
      {16384, in_order_binary},
      {any_size, binomial}}},
};

constexpr Row reduce_scatter_rows[] = {
    {4, {{65536, ring}, {131072, butterfly}, {any_size, ring}}},
    {8, {{8, nonoverlapping}, {262144, recursive_halving}, {any_size, ring}}},
    {32, {{262144, recursive_halving}, {any_size, ring}}},
    {64, {{64, nonoverlapping}, {2048, recursive_halving}, {524288, butterfly}, {any_size, ring}}},
    {128,
     {{256, nonoverlapping},
      {512, recursive_halving},
      {2048, butterfly},
      {4096, recursive_halving},
      {any_size, butterfly}}},
    {256, {{256, nonoverlapping}, {512, recursive_halving}, {any_size, butterfly}}},
    {512, {{256, nonoverlapping}, {1024, recursive_halving}, {any_size, butterfly}}},
    {1024,
     {{512, nonoverlapping},
      {2048, recursive_halving},
      {8192, butterfly},
      {16384, recursive_halving},
      {any_size, butterfly}}},
    {2048,
     {{512, nonoverlapping},
      {4096, recursive_halving},
      {16384, butterfly},
      {32768, recursive_halving},
      {any_size, butterfly}}},
    {4096, {{512, nonoverlapping}, {4096, recursive_halving}, {any_size, butterfly}}},
    {any_ranks, {{1024, nonoverlapping}, {8192, recursive_halving}, {any_size, butterfly}}},
};

// By the bytes of one piece.
constexpr Row reduce_scatter_block_rows[] = {
    {4,
     {{4, recursive_doubling},
      {8, butterfly},
      {16, recursive_halving},
      {128, butterfly},
      {256, recursive_halving},
      {4096, butterfly},
      {8192, recursive_halving},
      {131072, butterfly},
      {any_size, linear}}},
    {8,
     {{8, recursive_halving},
      {32, recursive_doubling},
      {256, butterfly},
      {8192, recursive_halving},
      {16384, butterfly},
      {1048576, recursive_halving},
      {any_size, linear}}},
    {16,
     {{4, linear},
      {32, recursive_halving},
      {128, butterfly},
      {524288, recursive_halving},
      {4194304, linear},
      {any_size, butterfly}}},
    {32,
     {{32, linear},
      {524288, recursive_halving},
      {2097152, linear},
      {4194304, recursive_halving},
      {any_size, butterfly}}},
    {any_ranks,
     {{4, recursive_halving}, {16, linear}, {65536, butterfly}, {262144, linear}, {any_size, butterfly}}},
};

// By the bytes of one piece.
constexpr Row allgather_rows[] = {
    {3, {{any_size, two_proc}}},
    {32, {{any_size, recursive_doubling}}},
    {64, {{1024, recursive_doubling}, {65536, neighbor}, {any_size, ring}}},
    {128, {{512, recursive_doubling}, {65536, neighbor}, {any_size, ring}}},
    {256,
     {{512, recursive_doubling}, {131072, neighbor}, {524288, ring}, {1048576, neighbor}, {any_size, ring}}},
    {512,
     {{32, recursive_doubling},
      {128, bruck},
      {1024, recursive_doubling},
      {131072, neighbor},
      {524288, ring},
      {1048576, neighbor},
      {any_size, ring}}},
    {1024, {{64, recursive_doubling}, {256, bruck}, {2048, recursive_doubling}, {any_size, neighbor}}},
    {2048,
     {{4, recursive_doubling},
      {8, bruck},
      {16, recursive_doubling},
      {32, bruck},
      {256, recursive_doubling},
      {512, bruck},
      {4096, recursive_doubling},
      {any_size, neighbor}}},
    {4096,
     {{32, bruck},
      {128, recursive_doubling},
      {512, bruck},
      {4096, recursive_doubling},
      {any_size, neighbor}}},
    {any_ranks,
     {{2, recursive_doubling},
      {8, bruck},
      {16, recursive_doubling},
      {512, bruck},
      {4096, recursive_doubling},
      {any_size, neighbor}}},
};

// By the mean bytes of a piece.
constexpr Row allgatherv_rows[] = {
    {3, {{2048, ring}, {4096, two_proc}, {8192, ring}, {any_size, two_proc}}},
    {8,
     {{256, gather_bcast},
      {4096, neighbor},
      {8192, ring},
      {16384, neighbor},
      {262144, bruck},
      {any_size, neighbor}}},
    {16, {{1024, gather_bcast}, {any_size, bruck}}},
    {32, {{128, gather_bcast}, {262144, bruck}, {any_size, ring}}},
    {64, {{256, gather_bcast}, {8192, bruck}, {any_size, ring}}},
    {128, {{256, gather_bcast}, {4096, bruck}, {any_size, ring}}},
    {256, {{1024, bruck}, {65536, neighbor}, {any_size, ring}}},
    {512, {{1024, bruck}, {any_size, ring}}},
    {1024, {{512, bruck}, {1024, gather_bcast}, {4096, bruck}, {1048576, neighbor}, {any_size, ring}}},
    {any_ranks, {{4096, bruck}, {any_size, neighbor}}},
};

constexpr Row gather_rows[] = {
    {4,
     {{2, linear_sync},
      {4, linear},
      {32768, binomial},
      {65536, linear},
      {131072, binomial},
      {any_size, linear_sync}}},
    {8, {{1024, binomial}, {8192, linear}, {32768, binomial}, {262144, linear}, {any_size, linear_sync}}},
    {256, {{any_size, binomial}}},
    {512, {{2048, binomial}, {8192, linear}, {any_size, binomial}}},
    {any_ranks, {{any_size, binomial}}},
};

// The third algorithm, "linear_nb", sends as the linear one does; only its requests are kept differently.
constexpr Row scatter_rows[] = {
    {4, {{any_size, linear}}},
    {8, {{2048, binomial}, {4096, linear}, {8192, binomial}, {any_size, linear}}},
    {16, {{16384, binomial}, {any_size, linear}}},
    {32, {{16384, binomial}, {any_size, linear}}},
    {64, {{512, binomial}, {8192, linear}, {16384, binomial}, {any_size, linear}}},
    {any_ranks, {{512, binomial}, {any_size, linear}}},
};

Algorithm look_up(std::span<const Row> rows, Rank ranks, Bytes bytes) {
    for (const Row& row : rows) {
        if (ranks >= row.below) continue;
        for (std::size_t index = 0; index < row.count; ++index)
            if (bytes < row.limits[index].below || row.limits[index].below == any_size)
                return row.limits[index].algorithm;
    }
    return linear;
}

/// Returns the algorithm to which the named function falls back with few elements
/// (ompi/mca/coll/base/coll_base_allreduce.c of the same series). A ring needs one element per rank, halving
/// one for each of 2^k ranks.
Algorithm with_few_elements(Algorithm algorithm, const Operation& operation) {
    const Bytes count = operation.bytes / std::max<Bytes>(operation.element, 1);
    if ((algorithm == ring || algorithm == segmented_ring) && count < operation.size)
        return recursive_doubling;
    if (algorithm == rabenseifner && count < std::bit_floor(operation.size)) return linear;
    return algorithm;
}

}  // namespace

Choice decide_openmpi_4_1(const Operation& operation) {
    const Rank ranks = operation.size;
    const Bytes bytes = operation.bytes;
    switch (operation.what) {
        case Collective::allreduce:
            return {with_few_elements(look_up(allreduce_rows, ranks, bytes), operation)};
        case Collective::reduce: {
            const Algorithm found = look_up(reduce_rows, ranks, bytes);
            return {found == rabenseifner ? with_few_elements(found, operation) : found};
        }
        case Collective::bcast: {
            const Algorithm found = look_up(bcast_rows, ranks, bytes);
            return {found, 0, found == knomial ? knomial_radix : 0};
        }
        case Collective::alltoall: return {look_up(alltoall_rows, ranks, bytes)};
        case Collective::alltoallv: return {look_up(alltoallv_rows, ranks, 0)};
        case Collective::barrier: return {look_up(barrier_rows, ranks, 0)};
        case Collective::reduce_scatter: return {look_up(reduce_scatter_rows, ranks, bytes)};
        case Collective::reduce_scatter_block:
            return {look_up(reduce_scatter_block_rows, ranks, bytes / ranks)};
        case Collective::allgather: return {look_up(allgather_rows, ranks, bytes)};
        case Collective::allgatherv:
            return {look_up(allgatherv_rows, ranks, total_of(*operation.receives) / ranks)};
        case Collective::gather: return {look_up(gather_rows, ranks, bytes)};
        case Collective::scatter: return {look_up(scatter_rows, ranks, bytes)};
        default: return {linear};
    }
}

}  // namespace linkworth::replay::collectives
