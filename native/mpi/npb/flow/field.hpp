// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "../huge_array.hpp"
#include "../simd_block.hpp"
#include "model.hpp"

namespace linkworth::npb::flow {

/// Some components at every point of a box, and at `ghosts` more points on each side.
///
/// Stored as [z][y][component][x]: a row of points along x is contiguous for each component, and the rows of
/// a point's components follow each other. Element x = 0 of every row lies at a multiple of the vector width,
/// and a row takes a multiple of it, so that
///  - lines along y and z are worked on kLanes at a time with aligned loads, lane = x, each cache line that
///  is
///    touched being used whole, and the components of a point in few pages;
///  - lines along x are worked on as kLanes rows (lane = y or z) with kLanes x kLanes transpositions on the
///  way
///    in and out;
///  - whole vectors may be loaded, and in fields without ghosts stored, up to the end of a row: what lies
///  beyond
///    the box is padding there (in fields with ghosts it may be the next row's ghosts).
/// Planes are not a multiple of 4 KiB apart, because lines along z would then fall into one set of the cache.
class Field {
  public:
    Field() = default;
    /// All elements, padding included, start as `value`.
    Field(const std::array<int, 3>& size, int ghosts, double value, int components = kComponents)
        : size_(size), ghosts_(ghosts), components_(components) {
        constexpr std::ptrdiff_t kPage = 4096 / sizeof(double);
        constexpr auto kWidth = static_cast<std::ptrdiff_t>(kLanes);
        row_ = (size[0] + 2 * ghosts + kWidth - 1) / kWidth * kWidth;
        line_ = row_ * components;
        plane_ = line_ * (size[1] + 2 * ghosts);
        if (plane_ % kPage == 0) plane_ += line_;
        origin_ = ghosts * (plane_ + line_) + (ghosts > 0 ? kWidth : 0);
        data_ = HugeArray<double>(
            static_cast<std::size_t>(plane_ * (size[2] + 2 * ghosts) + (ghosts > 0 ? 2 * kWidth : 0)));
        fill(value);
    }

    const std::array<int, 3>& size() const { return size_; }
    int ghosts() const { return ghosts_; }
    int components() const { return components_; }
    void fill(double value) { std::fill_n(data_.data(), data_.size(), value); }

    /// Component `m` at x = 0 of the row (y, z). Indices count from the box; ghosts are at -1, -2 and at
    /// size, size + 1.
    double* row(int m, int y, int z) { return data_.data() + offset(m, y, z); }
    const double* row(int m, int y, int z) const { return data_.data() + offset(m, y, z); }

    /// Elements from a component's row to the next one's.
    std::ptrdiff_t row_stride() const { return row_; }
    /// Elements from a point to the next along y, and along z.
    std::ptrdiff_t y_stride() const { return line_; }
    std::ptrdiff_t z_stride() const { return plane_; }
    /// Vectors that cover the points of a row, without ghosts.
    int row_blocks() const { return (size_[0] + static_cast<int>(kLanes) - 1) / static_cast<int>(kLanes); }

  private:
    std::ptrdiff_t offset(int m, int y, int z) const { return origin_ + z * plane_ + y * line_ + m * row_; }

    std::array<int, 3> size_{};
    int ghosts_ = 0, components_ = 0;
    std::ptrdiff_t row_ = 0, line_ = 0, plane_ = 0, origin_ = 0;
    HugeArray<double> data_;
};

}  // namespace linkworth::npb::flow
