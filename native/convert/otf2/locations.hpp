// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The locations of an archive of ours: one for each thread of a rank that calls MPI.
#pragma once

#include <cstdint>

namespace linkworth::convert {

/// Number of the location: for thread 0 that of its rank, as in Score-P.
constexpr std::uint64_t otf2_location(std::uint32_t rank, std::uint32_t thread) {
    return (std::uint64_t{thread} << 32U) | rank;
}

constexpr std::uint32_t thread_of_location(std::uint64_t location) {
    return static_cast<std::uint32_t>(location >> 32U);
}

/// Number of events in a thread's location.
struct Otf2ThreadEvents {
    std::uint32_t rank;
    std::uint32_t thread;
    std::uint64_t events;
};

}  // namespace linkworth::convert
