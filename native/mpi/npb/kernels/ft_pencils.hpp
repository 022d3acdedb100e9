// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <vector>

#include "../huge_array.hpp"
#include "../programs/ft.hpp"
#include "../simd_block.hpp"
#include "ft_transform.hpp"

namespace linkworth::npb::ft {

/// Arithmetic of FT on pencils, the layout beyond one plane a rank: stage 0 transforms x, 1 y, 2 z.
///
/// Each stage reads lines on its near side and writes them on its far side (the inverse transform the other
/// way round), where they lie as [receiving rank][...], so that an exchange needs no packing.
class PencilKernel {
  public:
    PencilKernel(const Class& problem, const Layout& layout, int rank);

    void prepare();
    void forward(int stage);
    void inverse(int stage, int iteration);
    const Checksum* outgoing() const { return outgoing_.data(); }
    Checksum* incoming() { return incoming_.data(); }
    Checksum checksum() const;

  private:
    /// Where the lines of one stage lie on one side: element i of line l is at starts[l] + steps[i].
    struct Side {
        std::vector<std::size_t> starts, steps;
    };
    struct Stage {
        Transform transform;
        Side near, far;
    };

    template <Direction direction>
    void transform_lines(const Transform& transform, const Side& from, const Checksum* input, const Side& to,
                         Checksum* output);
    void evolve(int iteration);

    Class problem_;
    std::size_t x_count_, y_count_, z_count_;  ///< of this rank: x between stages 0 and 2, y and z in space
    std::size_t rows_;                         ///< y of this rank in frequency
    std::int64_t first_x_, first_y_, first_z_, first_row_;
    std::vector<Stage> stages_;
    HugeArray<Checksum> spectrum_, outgoing_, incoming_;
    HugeArray<Block> work_;
    std::array<std::vector<double>, 3> decay_;
};

}  // namespace linkworth::npb::ft
