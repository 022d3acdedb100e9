// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "../huge_array.hpp"
#include "../programs/mg_layout.hpp"

namespace linkworth::npb::mg {

/// A view of one rank's box of a level: x runs fastest. Points -1 and extent are ghosts, where there are any.
struct Grid {
    Triple extent;
    std::int64_t row_stride, plane_stride;
    double* origin;  ///< of point (0, 0, 0)

    double* row(std::int64_t y, std::int64_t z) const { return origin + y * row_stride + z * plane_stride; }
};

/// Doubles between whole vectors: rows begin at a multiple of this, whatever the processor's vectors are.
inline constexpr std::int64_t kRowAlignment = 8;

/// Distance of rows with ghosts. Between two rows lie the upper ghost of the first and, just before the
/// second, its lower ghost; all can be read as whole vectors.
inline std::int64_t ghosted_row_stride(std::int64_t extent) {
    return (extent + kRowAlignment - 1) / kRowAlignment * kRowAlignment + kRowAlignment;
}

/// A box with one layer of ghosts around it, all zero at first.
class GhostedGrid {
  public:
    GhostedGrid() = default;
    explicit GhostedGrid(const Triple& extent) {
        const std::int64_t row = ghosted_row_stride(extent[0]), plane = row * (extent[1] + 2);
        storage_ = HugeArray<double>(static_cast<std::size_t>(kRowAlignment + plane * (extent[2] + 2)));
        grid_ = {extent, row, plane, storage_.data() + kRowAlignment + plane + row};
        clear();
    }

    const Grid& view() const { return grid_; }
    void clear() { std::fill_n(storage_.data(), storage_.size(), 0.0); }

  private:
    HugeArray<double> storage_;
    Grid grid_{};
};

/// A box without ghosts, all zero at first.
class PlainGrid {
  public:
    PlainGrid() = default;
    explicit PlainGrid(const Triple& extent)
        : storage_(static_cast<std::size_t>(extent[0] * extent[1] * extent[2])),
          grid_{extent, extent[0], extent[0] * extent[1], storage_.data()} {
        clear();
    }

    const Grid& view() const { return grid_; }
    void clear() { std::fill_n(storage_.data(), storage_.size(), 0.0); }

  private:
    HugeArray<double> storage_;
    Grid grid_{};
};

}  // namespace linkworth::npb::mg
