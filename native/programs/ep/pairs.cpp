// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../common/random.hpp"

namespace linkworth::npb::ep {
namespace {

constexpr std::uint64_t kEpSeed = 271828183;
constexpr std::size_t kBatchPairs = std::size_t{1} << kLog2BatchPairs;

/// Turns uniform numbers into Gaussian deviates by the polar method and adds them to the tally.
void tally_batch(const std::vector<double>& uniform, Tally& tally) {
    for (std::size_t pair = 0; pair < kBatchPairs; ++pair) {
        const double x = 2.0 * uniform[2 * pair] - 1.0;
        const double y = 2.0 * uniform[2 * pair + 1] - 1.0;
        const double t = x * x + y * y;
        if (t > 1.0) continue;
        const double factor = std::sqrt(-2.0 * std::log(t) / t);
        const double gaussian_x = std::fabs(x * factor);
        const double gaussian_y = std::fabs(y * factor);
        tally.annuli[static_cast<std::size_t>(std::max(gaussian_x, gaussian_y))] += 1.0;
        tally.sum_x += gaussian_x;
        tally.sum_y += gaussian_y;
    }
}

}  // namespace

Tally PairKernel::tally(Share share) {
    std::vector<double> uniform(2 * kBatchPairs);
    Tally total;
    for (std::int64_t batch = share.first; batch < share.first + share.count; ++batch) {
        RandomSequence sequence(multiply(kEpSeed, jump(2 * kBatchPairs * static_cast<std::uint64_t>(batch))));
        for (double& number : uniform) number = sequence.next();
        tally_batch(uniform, total);
    }
    return total;
}

}  // namespace linkworth::npb::ep
