// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../huge_array.hpp"
#include "../programs/cg.hpp"
#include "cg_vectors.hpp"

namespace linkworth::npb::cg {

/// One rank's block of the matrix, laid out so that a product reads it once, in order, and finds what it
/// needs of x in the first-level cache where the matrix is dense enough: sliced ELLPACK with sorted rows
/// (Kreutzer et al., SIAM J. Sci. Comput. 36, 2014) in tiles.
///
/// A tile is a window of rows by a strip of columns, window after window. Its rows are put in the order of
/// their lengths and cut into slices of as many rows as a vector has lanes; a slice holds its rows' first
/// elements, then their second ones, and so on, filled with zeros to its longest row. Columns are counted
/// within the strip, in 16 bits: ten bytes an element instead of twelve.
class Matrix {
  public:
    /// Generates the class's matrix and keeps the block.
    Matrix(const Class& problem, Range rows, Range columns);

    /// result[row] = sum over this block's columns of A x; `result` has as many elements as the block has
    /// rows.
    void multiply(const double* x, double* result) const;

  private:
    static constexpr std::size_t kWindow = 1024;

    /// Some neighbouring rows; elements by ascending column of this block.
    struct Rows {
        std::vector<std::size_t> starts;
        std::vector<Element> elements;
    };
    void fill(const Class& problem, Range rows, Range columns);
    void append_window(const Rows& rows);

    std::size_t rows_;
    std::size_t strip_width_;
    std::size_t strips_;
    std::size_t elements_ = 0;  ///< with those that fill the slices
    HugeArray<double> values_;
    HugeArray<std::uint16_t> indices_;          ///< of the column in its strip
    std::vector<std::uint16_t> slice_lengths_;  ///< elements of a lane
    std::vector<std::uint16_t> slice_rows_;     ///< in the window, one a lane; from kWindow on: no row
};

}  // namespace linkworth::npb::cg
