// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "benches.hpp"

namespace linkworth::netbench {
namespace {

/// A quarter of the machine's memory for the buffers of all ranks of a node.
constexpr double kShareForBuffers = 0.25;

/// The least payload that one operation moves, in all and between nodes.
struct Least {
    double bytes;
    double between_nodes;
};

/// Ranks wait for each other before each batch; a sample is the slowest rank's time.
template <class Call>
void measure_each(Bench& bench, double buffers_per_byte, double bandwidth_per_byte, Least per_byte,
                  Call call) {
    const Group& group = bench.group;
    const double room = kShareForBuffers * bench.memory_of_a_rank();
    Sampler sampler(group.comm, bench.limits());
    for (const std::int64_t bytes : bench.settings.sizes) {
        const auto size = static_cast<double>(bytes);
        int fits = size * buffers_per_byte <= room;
        MPI_Bcast(&fits, 1, MPI_INT, 0, group.comm);
        if (!fits) {
            bench.warning("left out " + std::to_string(bytes) +
                          " B: the buffers would not fit into a quarter of the memory");
            continue;
        }
        const Summary measured = sampler.measure(
            [&](std::int64_t count) {
                if (group.rank == 0) {
                    bench.payload.bytes += per_byte.bytes * size * static_cast<double>(count);
                    bench.payload.between_nodes += per_byte.between_nodes * size * static_cast<double>(count);
                }
                MPI_Barrier(group.comm);
                const double before = MPI_Wtime();
                for (std::int64_t i = 0; i < count; ++i) call(static_cast<int>(bytes));
                return MPI_Wtime() - before;
            },
            Clock::slowest_rank);
        bench.row(bytes, "", measured, bandwidth_per_byte * size);
    }
}

/// Memory only for the sizes that will be measured.
void grow(std::vector<char>& buffer, std::size_t bytes) {
    if (buffer.size() < bytes) buffer.resize(bytes, 'a');
}

/// Ordered pairs of ranks on different nodes.
double crossing_pairs(const Group& group) {
    double pairs = 0;
    for (int a = 0; a < group.size; ++a)
        for (int b = 0; b < group.size; ++b) pairs += group.crosses(a, b);
    return pairs;
}

}  // namespace

void run_alltoall(Bench& bench) {
    const double ranks = bench.group.size;
    std::vector<char> out, in;
    measure_each(bench, 2 * ranks, ranks - 1, {ranks * (ranks - 1), crossing_pairs(bench.group)},
                 [&](int bytes) {
                     grow(out, static_cast<std::size_t>(bytes) * static_cast<std::size_t>(bench.group.size));
                     grow(in, out.size());
                     MPI_Alltoall(out.data(), bytes, MPI_BYTE, in.data(), bytes, MPI_BYTE, bench.group.comm);
                 });
}

void run_allgather(Bench& bench) {
    const double ranks = bench.group.size;
    // Each node must get what each rank elsewhere gives, once.
    const double between = ranks * (bench.group.node_count() - 1);
    std::vector<char> out, in;
    measure_each(bench, ranks + 1, ranks - 1, {ranks * (ranks - 1), between}, [&](int bytes) {
        grow(out, static_cast<std::size_t>(bytes));
        grow(in, static_cast<std::size_t>(bytes) * static_cast<std::size_t>(bench.group.size));
        MPI_Allgather(out.data(), bytes, MPI_BYTE, in.data(), bytes, MPI_BYTE, bench.group.comm);
    });
}

void run_bcast(Bench& bench) {
    const double ranks = bench.group.size;
    std::vector<char> data;
    measure_each(bench, 1, 1, {ranks - 1, bench.group.node_count() - 1.0}, [&](int bytes) {
        grow(data, static_cast<std::size_t>(bytes));
        MPI_Bcast(data.data(), bytes, MPI_BYTE, 0, bench.group.comm);
    });
}

void run_allreduce(Bench& bench) {
    // Least traffic of a reduction and a distribution of its result: each moves the vector over every cut
    // once.
    const double ranks = bench.group.size, nodes = bench.group.node_count();
    std::vector<char> out, in;
    measure_each(bench, 2, 1, {2 * (ranks - 1), 2 * (nodes - 1)}, [&](int bytes) {
        grow(out, static_cast<std::size_t>(bytes));
        grow(in, out.size());
        const bool floats = bytes % static_cast<int>(sizeof(float)) == 0;
        MPI_Allreduce(out.data(), in.data(), floats ? bytes / static_cast<int>(sizeof(float)) : bytes,
                      floats ? MPI_FLOAT : MPI_UNSIGNED_CHAR, MPI_SUM, bench.group.comm);
    });
}

void run_barrier(Bench& bench) {
    Sampler sampler(bench.group.comm, bench.limits());
    const Summary measured = sampler.measure(
        [&](std::int64_t count) {
            MPI_Barrier(bench.group.comm);
            const double before = MPI_Wtime();
            for (std::int64_t i = 0; i < count; ++i) MPI_Barrier(bench.group.comm);
            return MPI_Wtime() - before;
        },
        Clock::slowest_rank);
    bench.row(0, "", measured, 0.0);
}

}  // namespace linkworth::netbench
