// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cg.hpp"

namespace linkworth::npb::cg {

/// One rank's block of the matrix in compressed rows (CSR).
class Matrix {
  public:
    /// Generates the class's matrix and keeps the block.
    Matrix(const Class& problem, Range rows, Range columns);

    /// result[row] = sum over this block's columns of A x.
    void multiply(const std::vector<double>& x, std::vector<double>& result) const;

  private:
    std::vector<std::size_t> starts_;    ///< of each row, and the number of elements
    std::vector<std::int32_t> columns_;  ///< counted from the block's first
    std::vector<double> values_;
};

}  // namespace linkworth::npb::cg
