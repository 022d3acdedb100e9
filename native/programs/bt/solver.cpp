// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <algorithm>

namespace linkworth::npb::bt {

using flow::Block;

namespace {

constexpr int kSize = flow::kComponents;

/// right -= block left.
void subtract_product(const Block& block, const double* left, double* right) {
    for (int row = 0; row < kSize; ++row)
        for (int k = 0; k < kSize; ++k) right[row] -= block[row][k] * left[k];
}

/// target -= a b.
void subtract_product(const Block& a, const Block& b, Block& target) {
    for (int row = 0; row < kSize; ++row)
        for (int column = 0; column < kSize; ++column)
            for (int k = 0; k < kSize; ++k) target[row][column] -= a[row][k] * b[k][column];
}

/// Solves own x = upper for the columns of `upper`, and own x = right, by elimination without pivoting. The
/// solutions replace `upper` and `right`. `own` is overwritten.
void solve(Block& own, Block& upper, double* right) {
    for (int p = 0; p < kSize; ++p) {
        const double inverse = 1.0 / own[p][p];
        for (int column = p + 1; column < kSize; ++column) own[p][column] *= inverse;
        for (int column = 0; column < kSize; ++column) upper[p][column] *= inverse;
        right[p] *= inverse;
        for (int row = 0; row < kSize; ++row) {
            if (row == p) continue;
            const double factor = own[row][p];
            for (int column = p + 1; column < kSize; ++column) own[row][column] -= factor * own[p][column];
            for (int column = 0; column < kSize; ++column) upper[row][column] -= factor * upper[p][column];
            right[row] -= factor * right[p];
        }
    }
}

/// The point with index p on the line along an axis that begins at (x, y, z).
std::array<int, 3> on_line(int axis, int x, int y, int z, int p) {
    std::array<int, 3> at{x, y, z};
    at[axis] = p;
    return at;
}

}  // namespace

SolverKernel::SolverKernel(const Class& problem, const flow::MultiPartition& layout)
    : Cells(layout, problem.time_step) {
    for (const flow::Cell& cell : cells_) {
        const std::array<int, 3>& size = cell.box.size;
        upper_.emplace_back(static_cast<std::size_t>(size[0]) * size[1] * size[2]);
    }
    lower_.resize(layout.longest_side());
    own_.resize(layout.longest_side());
    if (layout.cells() == 1) return;
    outgoing_.resize(lines_per_message(layout) * kEliminated);
    incoming_.resize(lines_per_message(layout) * kEliminated);
}

void SolverKernel::find_blocks(int number, int axis, int x, int y, int z) {
    const flow::Cell& cell = cells_[number];
    const flow::Differences factors = flow::differences(layout_.points());
    const double first = time_step_ * factors.first, second = time_step_ * factors.second;
    const auto state = [&](int p) {
        const auto [i, j, k] = on_line(axis, x, y, z, p);
        return flow::PointState(cell.u, cell.derived, i, j, k);
    };
    for (int p = cell.inner.first[axis]; p < cell.inner.last[axis]; ++p) {
        const auto [i, j, k] = on_line(axis, x, y, z, p);
        flow::find_jacobians(axis, -first, -second, state(p - 1), lower_[p]);
        flow::find_jacobians(axis, 0.0, 2.0 * second, state(p), own_[p]);
        flow::find_jacobians(axis, first, -second, state(p + 1), upper(number, i, j, k));
        for (int m = 0; m < kSize; ++m) own_[p][m][m] += 1.0;
    }
}

void SolverKernel::eliminate(int axis, int slab) {
    const int number = layout_.cell_in(slab, axis);
    flow::Cell& cell = cells_[number];
    const bool last_slab = slab == layout_.cells() - 1;
    const double* in = incoming_.data();
    double* out = outgoing_.data();
    Block received;
    for_each_line(number, axis, [&](int x, int y, int z) {
        find_blocks(number, axis, x, y, z);
        const Block* upper_before = nullptr;
        const double* right_before = nullptr;
        if (slab > 0) {
            std::copy_n(in, kSize * kSize, received[0]);
            upper_before = &received;
            right_before = in + kSize * kSize;
            in += kEliminated;
        }
        for (int p = cell.inner.first[axis]; p < cell.inner.last[axis]; ++p) {
            const auto [i, j, k] = on_line(axis, x, y, z, p);
            double* const right = cell.right.at(i, j, k);
            if (upper_before != nullptr) {
                subtract_product(lower_[p], right_before, right);
                subtract_product(lower_[p], *upper_before, own_[p]);
            }
            solve(own_[p], upper(number, i, j, k), right);
            upper_before = &upper(number, i, j, k);
            right_before = right;
        }
        if (last_slab) return;
        out = std::copy_n((*upper_before)[0], kSize * kSize, out);
        out = std::copy_n(right_before, kSize, out);
    });
    if (last_slab) substitute(axis, slab);
}

void SolverKernel::substitute(int axis, int slab) {
    const int number = layout_.cell_in(slab, axis);
    flow::Cell& cell = cells_[number];
    const bool last_slab = slab == layout_.cells() - 1;
    const double* in = incoming_.data();
    double* out = outgoing_.data();
    for_each_line(number, axis, [&](int x, int y, int z) {
        const double* after = nullptr;
        if (!last_slab) {
            after = in;
            in += kSubstituted;
        }
        for (int p = cell.inner.last[axis] - 1; p >= cell.inner.first[axis]; --p) {
            const auto [i, j, k] = on_line(axis, x, y, z, p);
            double* const right = cell.right.at(i, j, k);
            if (after != nullptr) subtract_product(upper(number, i, j, k), after, right);
            after = right;
        }
        if (slab > 0) out = std::copy_n(after, kSubstituted, out);
    });
    if (axis == 2) add_changes(number);
}

}  // namespace linkworth::npb::bt
