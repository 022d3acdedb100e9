// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../flow/model.hpp"
#include "../programs/lu_layout.hpp"
#include "../simd_block.hpp"

namespace linkworth::npb::lu {

using flow::kComponents;
inline constexpr int kWidth = static_cast<int>(kLanes);

/// How a pencil's points lie in memory. The sweeps may work on points of a plane at once only if x + y is the
/// same, so that is what a vector holds: the lanes are kLanes neighbouring rows y, each one point further
/// back in x than the row before it. A block is such a group of rows, and a step the place along x of its
/// lane 0. Vectors follow each other by component, step, block and plane. With vector(block, step):
///  - a neighbour in x is in the same lane of the next or previous step;
///  - a neighbour in y is one lane on in the next or previous step, and over the end of a block in the next
///    block, kLanes steps back (window() of two vectors);
///  - both neighbours below a point lie in the previous step, so a sweep just goes from step to step.
/// Lanes that run over the ends of a row are padding.
///
/// Coordinates x, y count from the pencil's first inner point; -2, -1 and count, count + 1 are ghosts or the
/// grid's boundary. z counts from the grid's boundary.
class Skew {
  public:
    explicit Skew(const Layout& layout)
        : points_(layout.points()), x_(layout.inner_x()), y_(layout.inner_y()) {
        // The rows before the first inner one may share its block if the inner rows take no more blocks so.
        constexpr int reach = flow::kReach;
        const bool shared =
            (reach % kWidth + y_.count + kWidth - 1) / kWidth == (y_.count + kWidth - 1) / kWidth;
        rows_before_ = shared || kWidth < reach ? reach : kWidth;
        first_block_ = rows_before_ / kWidth;
        inner_blocks_ = (rows_before_ + y_.count - 1) / kWidth + 1 - first_block_;
        blocks_ = (rows_before_ + y_.count + reach - 1) / kWidth + 1;
        inner_steps_ = x_.count + kWidth - 1;
        steps_ = inner_steps_ + 2 * reach;
    }

    int points() const { return points_; }
    const Range& x() const { return x_; }
    const Range& y() const { return y_; }
    /// Blocks that hold inner points, and their steps: numbered from 0 both.
    int inner_blocks() const { return inner_blocks_; }
    int inner_steps() const { return inner_steps_; }
    int blocks() const { return blocks_; }
    int steps() const { return steps_; }
    int first_block() const { return first_block_; }

    /// In vectors, for a field with ghosts.
    std::ptrdiff_t block_stride() const { return std::ptrdiff_t{kComponents} * steps_; }
    std::ptrdiff_t plane_stride() const { return block_stride() * blocks_; }
    std::size_t size() const { return static_cast<std::size_t>(plane_stride() * points_); }
    /// Of an inner block's first inner step.
    std::ptrdiff_t vector(int z, int block) const {
        return z * plane_stride() + (block + first_block_) * block_stride() + flow::kReach * kComponents;
    }
    /// In numbers: component 0 of a point. The next component is kWidth on.
    std::ptrdiff_t point(int x, int y, int z) const {
        const int row = y + rows_before_, lane = row % kWidth;
        return (z * plane_stride() + row / kWidth * block_stride() +
                std::ptrdiff_t{kComponents} * (x + flow::kReach + lane)) *
                   kWidth +
               lane;
    }

    /// The same for a field of inner points only.
    std::ptrdiff_t inner_block_stride() const { return std::ptrdiff_t{kComponents} * inner_steps_; }
    std::ptrdiff_t inner_plane_stride() const { return inner_block_stride() * inner_blocks_; }
    std::size_t inner_size() const { return static_cast<std::size_t>(inner_plane_stride() * (points_ - 2)); }
    std::ptrdiff_t inner_vector(int z, int block) const {
        return (z - 1) * inner_plane_stride() + block * inner_block_stride();
    }
    std::ptrdiff_t inner_point(int x, int y, int z) const {
        const int row = y + rows_before_, lane = row % kWidth;
        return ((z - 1) * inner_plane_stride() + (row / kWidth - first_block_) * inner_block_stride() +
                std::ptrdiff_t{kComponents} * (x + lane)) *
                   kWidth +
               lane;
    }

    /// Coordinates of a lane's point.
    int x_of(int step, int lane) const { return step - lane; }
    int y_of(int block, int lane) const { return (block + first_block_) * kWidth + lane - rows_before_; }

  private:
    int points_;
    Range x_, y_;
    int rows_before_, first_block_, inner_blocks_, blocks_, inner_steps_, steps_;
};

/// Lanes `from` ... `from` + kLanes - 1 of the lanes of low, then high.
template <int from>
inline Lanes window(const Lanes& low, const Lanes& high) {
    static_assert(from >= 0 && from <= kWidth);
    if constexpr (from == 0) {
        return low;
    } else if constexpr (from == kWidth) {
        return high;
    } else {
#if defined(__clang__)
        return [&]<int... lane>(std::integer_sequence<int, lane...>) {
            return __builtin_shufflevector(low, high, (from + lane)...);
        }(std::make_integer_sequence<int, kWidth>());
#else
        Bits index{};
        for (int lane = 0; lane < kWidth; ++lane) index[lane] = static_cast<std::uint64_t>(from + lane);
        return __builtin_shuffle(low, high, index);
#endif
    }
}

}  // namespace linkworth::npb::lu
