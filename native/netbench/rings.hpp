// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace linkworth::netbench {

/// The two partners of a rank in its ring; both the same in a ring of two.
struct Neighbours {
    int left;
    int right;
    bool operator==(const Neighbours&) const = default;
};

/// Returns the sizes of the rings of b_eff's six patterns: 2, 4, 8, max(16, ranks / 4), max(32, ranks / 2),
/// all; none above the number of ranks (Koniges, Rabenseifner, Solchenbach: Benchmark Design for
/// Characterization of Balanced High-Performance Architectures, IPDPS 2001 workshops).
std::vector<int> ring_sizes(int ranks);

/// Cuts the ranks, in the given order, into rings of about one size and returns the neighbours of each rank.
/// The number of rings fits best, their sizes are as equal as possible, and each has at least two ranks.
/// Throws std::invalid_argument for fewer than two ranks.
std::vector<Neighbours> rings(std::span<const int> order, int ring_size);

/// The rings of b_eff's six patterns, [pattern][rank]: of neighbouring ranks, or of ranks in a random order
/// of each pattern's own.
std::vector<std::vector<Neighbours>> beff_patterns(int ranks, bool random, std::uint64_t seed);

/// The same random order on every rank of every machine.
std::vector<int> shuffled(int ranks, std::uint64_t seed);

}  // namespace linkworth::netbench
