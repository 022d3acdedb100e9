// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../gather.hpp"
#include "cg_matrix.hpp"

namespace linkworth::npb::cg {
namespace {

/// Elements: the gathers fill the processor's window, so that it does not run ahead on the streams by itself.
constexpr std::size_t kPrefetchAhead = 512;

/// Vectors of a pass of the inner loop: as many sums run side by side.
constexpr std::size_t kSums = 2;
constexpr std::size_t kStep = kSums * kLanes;

inline Lanes products(const double* values, const double* x, const std::uint16_t* indices) {
    return *reinterpret_cast<const Lanes*>(values) * gather(x, indices);
}

}  // namespace

void Matrix::multiply(const double* x, double* result) const {
    const double* values = values_.data();
    const std::uint16_t* indices = indices_.data();
    const std::uint16_t *slice_length = slice_lengths_.data(), *slice_row = slice_rows_.data();
    double window[kWindow + kLanes];
    for (std::size_t first = 0; first < rows_; first += kWindow) {
        const std::size_t rows = std::min(kWindow, rows_ - first);
        std::fill_n(window, rows, 0.0);
        for (std::size_t strip = 0; strip < strips_; ++strip) {
            const double* const strip_x = x + strip * strip_width_;
            for (std::size_t row = 0; row < rows; row += kLanes, slice_row += kLanes) {
                const std::size_t elements = *slice_length++ * kLanes;
                Lanes sums[kSums] = {};
                std::size_t e = 0;
                for (; e + kStep <= elements; e += kStep) {
                    for (std::size_t ahead = 0; ahead < kStep; ahead += 8)
                        __builtin_prefetch(values + e + ahead + kPrefetchAhead);
                    __builtin_prefetch(indices + e + kPrefetchAhead);
                    for (std::size_t k = 0; k < kSums; ++k)
                        sums[k] += products(values + e + k * kLanes, strip_x, indices + e + k * kLanes);
                }
                if (e < elements) sums[0] += products(values + e, strip_x, indices + e);
                const Lanes sum = sums[0] + sums[1];
                for (std::size_t lane = 0; lane < kLanes; ++lane) window[slice_row[lane]] += sum[lane];
                values += elements;
                indices += elements;
            }
        }
        std::copy_n(window, rows, result + first);
    }
}

}  // namespace linkworth::npb::cg
