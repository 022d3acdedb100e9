// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace linkworth::npb {

/// Returns e^x for |x| < 700, to about 2 units in the last place. It has no branch or table, so that loops
/// over it vectorise: x = n log 2 + r with |r| <= log(2) / 2, then the Taylor series of e^r and 2^n by its
/// bits.
inline double exponential(double x) {
    constexpr double kShift = 0x1.8p52;  // added, it leaves the nearest whole number in the lowest bits
    const double shifted = x * 1.44269504088896340736 + kShift;
    const double n = shifted - kShift;
    // log 2 in two parts, the first short enough for an exact product.
    const double r = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
    double series = 1.0 / 6227020800;
    series = series * r + 1.0 / 479001600;
    series = series * r + 1.0 / 39916800;
    series = series * r + 1.0 / 3628800;
    series = series * r + 1.0 / 362880;
    series = series * r + 1.0 / 40320;
    series = series * r + 1.0 / 5040;
    series = series * r + 1.0 / 720;
    series = series * r + 1.0 / 120;
    series = series * r + 1.0 / 24;
    series = series * r + 1.0 / 6;
    series = series * r + 0.5;
    series = series * r + 1.0;
    series = series * r + 1.0;
    const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    return series * std::bit_cast<double>(exponent);
}

}  // namespace linkworth::npb
