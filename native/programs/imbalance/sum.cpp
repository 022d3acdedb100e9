// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../common/wide_vectors.hpp"
//
#include <algorithm>

#include "sum.hpp"

namespace linkworth::npb::imbalance {
namespace {

/// Points summed before they join the total: few, so that rounding grows with the number of blocks only.
constexpr int kBlock = 4096;

double block(double first, int count, double width) {
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < count; ++i) {
        const double x = (first + i + 0.5) * width;
        sum += 4.0 / (1.0 + x * x);
    }
    return sum;
}

}  // namespace

double SumKernel::integrate(Share share, std::int64_t points) const {
    const double width = 1.0 / static_cast<double>(points);
    double sum = 0.0, lost = 0.0;  // with what rounding takes from it (Kahan)
    for (std::int64_t done = 0; done < share.count; done += kBlock) {
        const int count = static_cast<int>(std::min<std::int64_t>(kBlock, share.count - done));
        const double part = block(static_cast<double>(share.first + done), count, width) - lost;
        const double next = sum + part;
        lost = (next - sum) - part;
        sum = next;
    }
    return sum * width;
}

}  // namespace linkworth::npb::imbalance
