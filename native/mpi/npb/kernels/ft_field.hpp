// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "../random.hpp"
#include "../reference/ft.hpp"

/// What the equation prescribes point by point, whatever the layout.
namespace linkworth::npb::ft {

/// State of the random sequence before the numbers of point (0, y, z): two numbers a point, x fastest.
inline std::uint64_t row_seed(const Class& problem, std::int64_t y, std::int64_t z) {
    return multiply(kSeed, jump(2 * static_cast<std::uint64_t>(problem.nx * (y + problem.ny * z))));
}

/// One dimension's part of exp(-4 alpha pi^2 k^2 t), k being the index folded to [-n/2, n/2); `count` values
/// from `first`.
inline void decay(std::int64_t n, std::int64_t first, std::int64_t count, int t,
                  std::vector<double>& factors) {
    factors.resize(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto k = static_cast<double>((first + i + n / 2) % n - n / 2);
        factors[static_cast<std::size_t>(i)] =
            std::exp(-4.0 * kAlpha * std::numbers::pi * std::numbers::pi * k * k * t);
    }
}

inline constexpr std::int64_t kChecksumPoints = 1024;

/// Calls visit(x, y, z) for each point of the checksum.
template <class Visit>
void for_checksum_points(const Class& problem, Visit&& visit) {
    for (std::int64_t j = 1; j <= kChecksumPoints; ++j)
        visit(j % problem.nx, 3 * j % problem.ny, 5 * j % problem.nz);
}

}  // namespace linkworth::npb::ft
