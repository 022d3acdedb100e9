// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../gather.hpp"
#include "cg_matrix.hpp"

namespace linkworth::npb::cg {
namespace {

/// Elements: the gathers fill the processor's window, so that it does not run ahead on the streams by itself.
constexpr std::uint64_t kPrefetchAhead = 512;

/// Elements of a pass of the loop below, and vectors that they fill: as many sums run side by side.
constexpr std::uint64_t kStep = 16;
constexpr std::size_t kSums = kStep / kLanes;

inline Lanes products(const double* values, const double* x, const std::uint16_t* indices) {
    return *reinterpret_cast<const Lanes*>(values) * gather(x, indices);
}

}  // namespace

void Matrix::multiply(const double* x, double* result) const {
    const double* const values = values_.data();
    const std::uint16_t* const indices = indices_.data();
    const std::uint64_t* piece_end = ends_.data();
    std::uint64_t e = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
        Lanes sums[kSums] = {};
        for (std::size_t strip = 0; strip < strips_; ++strip, ++piece_end) {
            const double* const strip_x = x + strip * strip_width_;
            const std::uint64_t end = *piece_end;
            for (; e + kStep <= end; e += kStep) {
                __builtin_prefetch(values + e + kPrefetchAhead);
                __builtin_prefetch(values + e + 8 + kPrefetchAhead);
                __builtin_prefetch(indices + e + kPrefetchAhead);
                for (std::size_t k = 0; k < kSums; ++k)
                    sums[k] += products(values + e + k * kLanes, strip_x, indices + e + k * kLanes);
            }
            for (; e < end; e += kLanes) sums[0] += products(values + e, strip_x, indices + e);
        }
        double total = 0.0;
        for (const Lanes& sum : sums)
            for (std::size_t lane = 0; lane < kLanes; ++lane) total += sum[lane];
        result[row] = total;
    }
}

}  // namespace linkworth::npb::cg
