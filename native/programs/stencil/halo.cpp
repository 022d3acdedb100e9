// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernel.hpp"

namespace linkworth::npb::stencil {

ColumnKernel::Box ColumnKernel::inside(Side side) const {
    const std::int64_t nx = piece_.x.count, ny = piece_.y.count;
    switch (side) {
        case Side::west: return {0, 1, 0, ny};
        case Side::east: return {nx - 1, nx, 0, ny};
        case Side::south: return {0, nx, 0, 1};
        default: return {0, nx, ny - 1, ny};
    }
}

ColumnKernel::Box ColumnKernel::outside(Side side) const {
    const std::int64_t nx = piece_.x.count, ny = piece_.y.count;
    switch (side) {
        case Side::west: return {-1, 0, 0, ny};
        case Side::east: return {nx, nx + 1, 0, ny};
        case Side::south: return {0, nx, -1, 0};
        default: return {0, nx, ny, ny + 1};
    }
}

template <class Copy>
void ColumnKernel::each_column(const Box& box, Copy&& copy) {
    for (std::int64_t y = box.y; y < box.y_end; ++y)
        for (std::int64_t x = box.x; x < box.x_end; ++x) copy(state_.column(y, x));
}

void ColumnKernel::pack(Side side) {
    double* next = halos_[index(side)].out.data();
    const std::size_t levels = state_.levels();
    each_column(inside(side), [&](const double* column) {
        for (std::size_t field = 0; field < kFields; ++field)
            next = std::copy_n(column + field * levels, problem_.nz, next);
    });
}

void ColumnKernel::unpack(Side side) {
    const double* next = halos_[index(side)].in.data();
    const std::size_t levels = state_.levels();
    each_column(outside(side), [&](double* column) {
        for (std::size_t field = 0; field < kFields; ++field, next += problem_.nz)
            std::copy_n(next, problem_.nz, column + field * levels);
    });
}

void ColumnKernel::wrap(Side side) {
    const Box from = inside(opposite(side)), to = outside(side);
    for (std::int64_t y = 0; y < to.y_end - to.y; ++y)
        for (std::int64_t x = 0; x < to.x_end - to.x; ++x)
            std::copy_n(state_.column(from.y + y, from.x + x), state_.column_size(),
                        state_.column(to.y + y, to.x + x));
}

}  // namespace linkworth::npb::stencil
