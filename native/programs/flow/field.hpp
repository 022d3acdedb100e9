// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "model.hpp"

namespace linkworth::npb::flow {

/// Some components at every point of a box, and at `ghosts` more points on each side. Stored as
/// [z][y][x][component].
class Field {
  public:
    Field() = default;
    /// All elements start as `value`.
    Field(const std::array<int, 3>& size, int ghosts, double value, int components = kComponents)
        : size_(size), ghosts_(ghosts) {
        std::ptrdiff_t elements = components;
        for (int axis = 0; axis < 3; ++axis) {
            strides_[axis] = elements;
            elements *= size[axis] + 2 * ghosts;
            origin_ += ghosts * strides_[axis];
        }
        data_.assign(static_cast<std::size_t>(elements), value);
    }

    const std::array<int, 3>& size() const { return size_; }
    int ghosts() const { return ghosts_; }
    void fill(double value) { std::fill(data_.begin(), data_.end(), value); }

    /// The components of a point. Indices count from the box; ghosts are at -1, -2 and at size, size + 1.
    double* at(int x, int y, int z) { return data_.data() + offset(x, y, z); }
    const double* at(int x, int y, int z) const { return data_.data() + offset(x, y, z); }

    /// Elements from a point to the next along an axis.
    std::ptrdiff_t stride(int axis) const { return strides_[axis]; }

  private:
    std::ptrdiff_t offset(int x, int y, int z) const {
        return origin_ + x * strides_[0] + y * strides_[1] + z * strides_[2];
    }

    std::array<int, 3> size_{};
    int ghosts_ = 0;
    std::array<std::ptrdiff_t, 3> strides_{};
    std::ptrdiff_t origin_ = 0;
    std::vector<double> data_;
};

}  // namespace linkworth::npb::flow
