// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../flow/blocks.hpp"
#include "../flow/cells.hpp"
#include "bt.hpp"

namespace linkworth::npb::bt {

/// Arithmetic of BT with its fields; see the concept for each function.
class SolverKernel : public flow::Cells {
  public:
    SolverKernel(const Class& problem, const flow::MultiPartition& layout);

    void eliminate(int axis, int slab);
    void substitute(int axis, int slab);
    const double* outgoing() const { return outgoing_.data(); }
    double* incoming() { return incoming_.data(); }

  private:
    flow::Block& upper(int cell, int x, int y, int z) {
        const std::array<int, 3>& size = cells_[cell].box.size;
        return upper_[cell][static_cast<std::size_t>((z * size[1] + y) * size[0] + x)];
    }
    /// Sets the blocks of the inner points of the line that begins at (x, y, z).
    void find_blocks(int cell, int axis, int x, int y, int z);

    /// Blocks that multiply the point after, by cell. The elimination leaves them for the substitution.
    std::vector<std::vector<flow::Block>> upper_;
    /// Blocks that multiply the point before, and the point itself, along one line.
    std::vector<flow::Block> lower_, own_;
    std::vector<double> outgoing_, incoming_;
};

}  // namespace linkworth::npb::bt
