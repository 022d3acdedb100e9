// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "../huge_array.hpp"
#include "../programs/ft.hpp"
#include "../simd_block.hpp"
#include "ft_transform.hpp"

namespace linkworth::npb::ft {

/// Arithmetic of FT on whole planes: the layouts `whole` and `slabs`.
///
/// Stage 0 transforms x and y of one plane after the other, in cache; stage 1 transforms z. Planes are stored
/// as [rank that owns the rows][z][row y][block of x], so that what goes to one rank is contiguous and,
/// received, is already in the order of the other stage; the spectrum as [row y][block of x][z], so that
/// stage 1 streams through it. Inside a tile of kLanes rows and one block of x the space side is transposed:
/// the block at row i holds x = kLanes block + i, its lanes are the rows.
class SlabKernel {
  public:
    SlabKernel(const Class& problem, const Layout& layout, int rank);

    void prepare();
    void forward(int stage);
    void inverse(int stage, int iteration);
    const Checksum* outgoing() const { return reinterpret_cast<const Checksum*>(outgoing_.data()); }
    Checksum* incoming() { return reinterpret_cast<Checksum*>(incoming_.data()); }
    Checksum checksum() const;

  private:
    /// Before and after stage 0; the same array as `outgoing_` where nothing is exchanged.
    Block* space() { return incoming_.size() != 0 ? incoming_.data() : outgoing_.data(); }
    std::size_t row_offset(std::size_t plane, std::size_t y) const {
        return ((y / rows_ * planes_ + plane) * rows_ + y % rows_) * blocks_;
    }
    void find_rows(Block* field, std::size_t plane);
    void fill_plane(std::size_t plane);
    void forward_plane(std::size_t plane);
    void inverse_plane(std::size_t plane);
    void forward_columns();
    void inverse_columns(int iteration);

    Class problem_;
    int rank_;
    std::size_t nx_, ny_, nz_;
    std::size_t blocks_;  ///< of kLanes x in a row
    std::size_t planes_;  ///< of this rank in space
    std::size_t rows_;    ///< of this rank in frequency
    Transform along_x_, along_y_, along_z_;
    HugeArray<Block> spectrum_, outgoing_, incoming_;
    HugeArray<Block> line_, other_line_;
    std::vector<Block*> plane_rows_;
    std::vector<double> decay_x_, decay_y_, decay_z_;
};

}  // namespace linkworth::npb::ft
