// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mg_faces.hpp"
#include "mg_grid.hpp"

namespace linkworth::npb::mg {

/// What a level's correction works on.
struct Correction {
    Grid u, v, coarse;            ///< v without need of ghosts
    std::array<bool, kAxes> odd;  ///< the box has one point along the axis, and that is a coarse one too
    bool accumulate;              ///< the interpolated u is added to u; else it replaces u
    Stencil smoother;
};

/// Rows of `u` to work on together, so that a few planes of them stay in the L2 cache.
std::int64_t rows_in_cache(const Triple& extent);

/// The row of a grid that is reached `rows` steps after row y of plane z, where blocks [from, to) of y are
/// swept plane by plane. May lie beyond the grid.
inline const double* row_ahead(const Grid& grid, std::int64_t y, std::int64_t z, std::int64_t from,
                               std::int64_t to, std::int64_t rows) {
    return y + rows < to ? grid.row(y + rows, z) : grid.row(y + rows - (to - from), z + 1);
}
inline constexpr std::int64_t kRowsAhead = 2;

/// Room for the residuals between computing and smoothing, for boxes up to one of this extent.
class SmoothingRows {
  public:
    explicit SmoothingRows(const Triple& largest);

    /// Begins work on boxes of this extent, with the whole of y as one block.
    void start(const Triple& extent);
    /// Begins the next block of y, [from, to).
    void start_block(std::int64_t from, std::int64_t to);
    /// Residuals of a row of this block, of one of the two rows before it, or zeros beyond the box.
    double* row(std::int64_t y, std::int64_t z);
    /// Scratch for a row.
    double* scratch() { return first_ + (count_ - 1) * stride_; }

  private:
    static constexpr std::int64_t kPlanes = 3;  ///< that a smoothed row reads
    static constexpr std::int64_t kKept = 2;    ///< rows of a block that the next one reads

    static std::int64_t rows_for(const Triple& extent);

    HugeArray<double> storage_;
    Triple extent_{};
    std::int64_t count_ = 0, stride_ = 0, from_ = 0, to_ = 0, block_ = 0;
    double* first_;
    double *before_ = nullptr, *kept_ = nullptr, *zeros_ = nullptr;
};

/// u = u + S (v - A u) after the interpolation, as if the residuals beyond the box were zero; the residual's
/// faces go into `faces`. One sweep: a row is interpolated, two planes later smoothed, and never leaves the
/// cache between.
void correct(const Correction& work, Faces& faces, SmoothingRows& rows);

/// Adds what the residuals beyond the box give to u.
void smooth_from_ghosts(const Grid& u, const Faces& faces, const Stencil& smoother, const double* zeros);

}  // namespace linkworth::npb::mg
