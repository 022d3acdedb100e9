// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rings.hpp"

namespace linkworth::netbench {

/// One of the two message sizes of HPC Challenge's latency and bandwidth benchmark, with the numbers of
/// repetitions (the head of Latency-Bandwidth-Benchmark R1.5 by Rabenseifner, Schulz and Speck, HLRS 2003,
/// and its calls in hpcc 1.5.0).
struct HpccSize {
    std::int64_t bytes;
    std::int64_t trips;      ///< round trips between two readings of the clock, at first
    int ping_pongs;          ///< measurements of a pair; the least counts
    double pairs_seconds;    ///< in which all pairs shall be measured, or else some
    std::int64_t exchanges;  ///< of a ring between two readings of the clock, at first
    int rings;               ///< measurements of a ring; the least counts
    int random_rings;
};

inline constexpr HpccSize kHpccLatency{8, 8, 5, 10.0, 8, 5, 30};
inline constexpr HpccSize kHpccBandwidth{2'000'000, 1, 2, 30.0, 3, 2, 10};
inline constexpr std::array kHpccSizes{kHpccLatency, kHpccBandwidth};

/// Shorter measurements are repeated with longer_loop. This is ten times the 1 us below which no clock is
/// trusted.
inline constexpr double kHpccLeastSeconds = 1e-5;

/// Returns 1.5 times the count, but at least one more.
std::int64_t longer_loop(std::int64_t count);

/// Returns the distance between ranks that take part in the ping-pongs, so that those of all pairs end in
/// time. It is 1, or else a prime from 3 on, so that it is not the number of ranks of a node. At least five
/// ranks take part, if there are so many.
int pair_stride(int ranks, double seconds_of_a_pair, double seconds_of_all);

/// Returns the time of all measurements of a pair.
double seconds_of_a_pair(const HpccSize& size, double message_seconds);

/// Returns one ring of all ranks in their own order, then so many in random orders, [ring][rank].
std::vector<std::vector<Neighbours>> hpcc_rings(int ranks, const HpccSize& size, std::uint64_t seed);

}  // namespace linkworth::netbench
