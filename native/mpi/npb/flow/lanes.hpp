// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "../simd_block.hpp"

/// Vectors at any address.
namespace linkworth::npb::flow {

typedef double UnalignedLanes __attribute__((vector_size(kLanes * sizeof(double)), aligned(8), may_alias));

inline Lanes load(const double* from) { return (Lanes) * reinterpret_cast<const UnalignedLanes*>(from); }
inline void store(double* to, const Lanes& value) { *reinterpret_cast<UnalignedLanes*>(to) = value; }
/// The first `count` lanes only.
inline void store_first(double* to, const Lanes& value, int count) {
    if (count >= static_cast<int>(kLanes)) return store(to, value);
    for (int lane = 0; lane < count; ++lane) to[lane] = value[lane];
}
/// The first `count` lanes, and zero in the others.
inline Lanes load_first(const double* from, int count) {
    if (count >= static_cast<int>(kLanes)) return load(from);
    Lanes result{};
    for (int lane = 0; lane < count; ++lane) result[lane] = from[lane];
    return result;
}
inline Lanes splat(double value) { return value - Lanes{}; }

}  // namespace linkworth::npb::flow
