// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../huge_array.hpp"
#include "../programs/cg.hpp"

namespace linkworth::npb::cg {

/// One rank's block of the matrix, by rows. A row is cut into strips of columns narrow enough for 16-bit
/// indices: ten bytes an element instead of twelve, and the product is bound by reading them. Each piece is
/// filled with zeros to whole vectors.
class Matrix {
  public:
    /// Generates the class's matrix and keeps the block.
    Matrix(const Class& problem, Range rows, Range columns);

    /// result[row] = sum over this block's columns of A x; `result` has as many elements as the block has
    /// rows.
    void multiply(const double* x, double* result) const;

  private:
    void fill(const Class& problem, Range rows, Range columns);

    std::size_t rows_;
    std::size_t strips_;
    std::size_t strip_width_;
    HugeArray<double> values_;
    HugeArray<std::uint16_t> indices_;  ///< of the column in its strip
    std::vector<std::uint64_t> ends_;   ///< of each row's pieces, strip by strip
};

}  // namespace linkworth::npb::cg
