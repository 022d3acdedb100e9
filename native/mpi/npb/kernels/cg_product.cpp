// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../gather.hpp"
#include "cg_matrix.hpp"

namespace linkworth::npb::cg {
namespace {

/// Elements: the gathers fill the processor's window, so that it does not run ahead on the streams by itself.
constexpr std::uint64_t kPrefetchAhead = 512;

inline Lanes8 products(const double* values, const double* x, const std::uint16_t* indices) {
    return *reinterpret_cast<const Lanes8*>(values) * gather8(x, indices);
}

}  // namespace

void Matrix::multiply(const double* x, double* result) const {
    const double* const values = values_.data();
    const std::uint16_t* const indices = indices_.data();
    const std::uint64_t* piece_end = ends_.data();
    std::uint64_t e = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
        Lanes8 sum{}, other{};
        for (std::size_t strip = 0; strip < strips_; ++strip, ++piece_end) {
            const double* const strip_x = x + strip * strip_width_;
            const std::uint64_t end = *piece_end;
            for (; e + 16 <= end; e += 16) {
                __builtin_prefetch(values + e + kPrefetchAhead);
                __builtin_prefetch(values + e + 8 + kPrefetchAhead);
                __builtin_prefetch(indices + e + kPrefetchAhead);
                sum += products(values + e, strip_x, indices + e);
                other += products(values + e + 8, strip_x, indices + e + 8);
            }
            if (e < end) {
                sum += products(values + e, strip_x, indices + e);
                e += 8;
            }
        }
        result[row] = sum_lanes(sum + other);
    }
}

}  // namespace linkworth::npb::cg
