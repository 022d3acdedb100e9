// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "../random.hpp"
#include "ep_pairs.hpp"

namespace linkworth::npb::ep {
namespace {

constexpr std::uint64_t kEpSeed = 271828183;
constexpr std::size_t kLanes =
    512;  // pairs advanced together: their states fit in half of the first-level cache
constexpr std::size_t kBatchPairs = std::size_t{1} << kLog2BatchPairs;

/// Exact for 0 <= x < 2^52, and vectorises where there is no 64-bit conversion instruction.
inline double to_double(std::uint64_t x) { return std::bit_cast<double>(x | 0x4330000000000000u) - 0x1p52; }

/// Natural logarithm for normal t > 0, to about 2 units in the last place, with no branch or table: the
/// mantissa m is brought to [sqrt(1/2), sqrt(2)), then log m = 2 artanh((m - 1) / (m + 1)) by its Taylor
/// series.
inline double logarithm(double t) {
    constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdu;  // bits of sqrt(1/2)
    constexpr std::uint64_t kOne = 0x3ff0000000000000u;
    const std::uint64_t shifted = std::bit_cast<std::uint64_t>(t) + (kOne - kSqrtHalf);
    const double exponent = to_double(shifted >> 52) - 1023.0;
    const double mantissa = std::bit_cast<double>((shifted & 0x000fffffffffffffu) + kSqrtHalf);
    const double s = (mantissa - 1.0) / (mantissa + 1.0);
    const double z = s * s;
    double series = 2.0 / 21;
    series = series * z + 2.0 / 19;
    series = series * z + 2.0 / 17;
    series = series * z + 2.0 / 15;
    series = series * z + 2.0 / 13;
    series = series * z + 2.0 / 11;
    series = series * z + 2.0 / 9;
    series = series * z + 2.0 / 7;
    series = series * z + 2.0 / 5;
    series = series * z + 2.0 / 3;
    return exponent * 0.693147180559945309417 + (2.0 * s + s * z * series);
}

/// The two streams of lane l hold numbers 2 l + 1 and 2 l + 2 of a block, both advanced block by block.
struct Lanes {
    alignas(64) std::uint64_t x[kLanes];
    alignas(64) std::uint64_t y[kLanes];
    alignas(64) double larger[kLanes];  ///< max(|X|, |Y|) of an accepted pair, 0 of a rejected one

    void start(std::uint64_t seed, const std::uint64_t (&jumps)[kLanes]) {
        for (std::size_t l = 0; l < kLanes; ++l) {
            x[l] = multiply(seed, jumps[l]);
            y[l] = multiply(x[l], kMultiplier);
        }
    }
};

/// One block of kLanes pairs: adds to the tally and advances the streams.
void tally_block(Lanes& lanes, std::uint64_t advance, Tally& tally) {
    double sum_x = 0.0, sum_y = 0.0, largest = 0.0, accepted = 0.0;
#pragma omp simd reduction(+ : sum_x, sum_y, accepted) reduction(max : largest)
    for (std::size_t l = 0; l < kLanes; ++l) {
        const double x = to_double(lanes.x[l]) * (2.0 * kToUnit) - 1.0;
        const double y = to_double(lanes.y[l]) * (2.0 * kToUnit) - 1.0;
        lanes.x[l] = multiply(lanes.x[l], advance);
        lanes.y[l] = multiply(lanes.y[l], advance);
        const double t = x * x + y * y;
        const double inside = t <= 1.0 ? t : 1.0;  // log 1 = 0: a rejected pair adds nothing to the sums
        const double factor = std::sqrt(-2.0 * logarithm(inside) / inside);
        const double gaussian_x = std::fabs(x * factor);
        const double gaussian_y = std::fabs(y * factor);
        sum_x += gaussian_x;
        sum_y += gaussian_y;
        accepted += t <= 1.0 ? 1.0 : 0.0;
        const double larger = gaussian_x > gaussian_y ? gaussian_x : gaussian_y;
        lanes.larger[l] = larger;
        largest = largest > larger ? largest : larger;
    }
    tally.sum_x += sum_x;
    tally.sum_y += sum_y;
    // Pairs at or beyond each annulus's inner edge, less those beyond the next one's.
    double beyond = accepted;
    const int last = std::min(static_cast<int>(largest), kAnnuli - 1);
    for (int annulus = 0; annulus < last; ++annulus) {
        const double edge = annulus + 1.0;
        double next = 0.0;
#pragma omp simd reduction(+ : next)
        for (std::size_t l = 0; l < kLanes; ++l) next += lanes.larger[l] >= edge ? 1.0 : 0.0;
        tally.annuli[annulus] += beyond - next;
        beyond = next;
    }
    tally.annuli[last] += beyond;
}

}  // namespace

Tally PairKernel::tally(Share share) {
    std::uint64_t jumps[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) jumps[l] = jump(2 * l + 1);
    const std::uint64_t advance = jump(2 * kLanes);
    Lanes lanes;
    Tally total;
    for (std::int64_t batch = share.first; batch < share.first + share.count; ++batch) {
        // Sums by batch first: they stay small beside the total, so that rounding does not grow with the
        // class.
        Tally part;
        lanes.start(multiply(kEpSeed, jump(2 * kBatchPairs * static_cast<std::uint64_t>(batch))), jumps);
        for (std::size_t block = 0; block < kBatchPairs / kLanes; ++block) tally_block(lanes, advance, part);
        total.sum_x += part.sum_x;
        total.sum_y += part.sum_y;
        for (int annulus = 0; annulus < kAnnuli; ++annulus) total.annuli[annulus] += part.annuli[annulus];
    }
    return total;
}

}  // namespace linkworth::npb::ep
