// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// The two triangular systems of a step (RNR-94-007, 3.4), plane by plane.
#include <algorithm>

#include "pencil.hpp"

namespace linkworth::npb::lu {

using flow::Block;
using flow::kComponents;

namespace {

/// sum += block x.
void add_product(const Block& block, const double* x, State& sum) {
    for (int row = 0; row < kComponents; ++row)
        for (int k = 0; k < kComponents; ++k) sum[row] += block[row][k] * x[k];
}

/// Solves block x = right by elimination without pivoting; x replaces `right`.
void solve(Block block, State& right) {
    double inverse[kComponents];
    for (int p = 0; p < kComponents; ++p) {
        inverse[p] = 1.0 / block[p][p];
        for (int row = p + 1; row < kComponents; ++row) {
            const double factor = block[row][p] * inverse[p];
            for (int column = p + 1; column < kComponents; ++column)
                block[row][column] -= factor * block[p][column];
            right[row] -= factor * right[p];
        }
    }
    for (int row = kComponents - 1; row >= 0; --row) {
        for (int column = row + 1; column < kComponents; ++column)
            right[row] -= block[row][column] * right[column];
        right[row] *= inverse[row];
    }
}

/// Sets the block of a point itself, in which the convective fluxes of its two sides cancel.
void find_diagonal(const Class& problem, const flow::PointState& at, Block& block) {
    const double second = 2.0 * problem.time_step * flow::differences(problem.points).second;
    const double artificial = second * (flow::kDiffusion[0] + flow::kDiffusion[1] + flow::kDiffusion[2]);
    const double viscosity = second * (1.0 + 1.0 + 4.0 / 3.0) * flow::kViscosity * at.inverse_density;
    const double heat = second * 3.0 * flow::kConduction * at.inverse_density;
    block = {};
    for (int m = 0; m < kComponents; ++m) block[m][m] = 1.0 + artificial;
    for (int d = 0; d < 3; ++d) {
        block[1 + d][0] = -viscosity * at.velocity[d];
        block[1 + d][1 + d] += viscosity;
        block[4][1 + d] = (viscosity - heat) * at.velocity[d];
    }
    block[4][0] = -(viscosity - heat) * 2.0 * at.kinetic - heat * at.energy;
    block[4][4] += heat;
}

}  // namespace

void PencilKernel::find_blocks(int z, int step) {
    const flow::Differences factors = flow::differences(problem_.points);
    const double first = problem_.time_step * factors.first, second = problem_.time_step * factors.second;
    for (int y = 0; y < box_.size[1]; ++y)
        for (int x = 0; x < box_.size[0]; ++x) {
            const flow::PointState here(u_, derived_, x, y, z);
            find_diagonal(problem_, here, diagonal_[place(x, y)]);
            for (int axis = 0; axis < 3; ++axis) {
                std::array<int, 3> at{x, y, z};
                at[axis] += step;
                const flow::PointState there(u_, derived_, at[0], at[1], at[2]);
                flow::find_jacobians(axis, step * first, -second, there, neighbour_[axis][place(x, y)]);
            }
        }
}

void PencilKernel::solve_lower(int z) {
    for (int y = 0; y < box_.size[1]; ++y)
        for (int x = 0; x < box_.size[0]; ++x) {
            double* const change = r_.at(x, y, z);
            State sum{};
            for (int axis = 0; axis < 3; ++axis)
                add_product(neighbour_[axis][place(x, y)], change - r_.stride(axis), sum);
            for (int m = 0; m < kComponents; ++m)
                sum[m] = problem_.time_step * change[m] - kRelaxation * sum[m];
            solve(diagonal_[place(x, y)], sum);
            std::copy(sum.begin(), sum.end(), change);
        }
}

void PencilKernel::solve_upper(int z) {
    for (int y = box_.size[1] - 1; y >= 0; --y)
        for (int x = box_.size[0] - 1; x >= 0; --x) {
            double* const change = r_.at(x, y, z);
            State sum{};
            for (int axis = 0; axis < 3; ++axis)
                add_product(neighbour_[axis][place(x, y)], change + r_.stride(axis), sum);
            for (double& value : sum) value *= kRelaxation;
            solve(diagonal_[place(x, y)], sum);
            for (int m = 0; m < kComponents; ++m) change[m] -= sum[m];
        }
}

template <class Use>
void PencilKernel::for_each_line_point(int z, Side side, bool outside, Use&& use) {
    const int cut = across_x(side) ? 0 : 1;
    const bool low = side == low_x || side == low_y;
    std::array<int, 2> at{};
    at[cut] = low ? (outside ? -1 : 0) : box_.size[cut] - (outside ? 0 : 1);
    for (int& i = at[1 - cut]; i < box_.size[1 - cut]; ++i) use(r_.at(at[0], at[1], z));
}

void PencilKernel::unpack_line(int z, Side side) {
    if (!layout_.has_neighbour(side)) return;
    const double* in = incoming_lines_[side].data();
    for_each_line_point(z, side, true, [&](double* change) {
        std::copy_n(in, kComponents, change);
        in += kComponents;
    });
}

void PencilKernel::pack_line(int z, Side side) {
    if (!layout_.has_neighbour(side)) return;
    double* out = outgoing_lines_[side].data();
    for_each_line_point(z, side, false,
                        [&](const double* change) { out = std::copy_n(change, kComponents, out); });
}

void PencilKernel::lower(int plane) {
    const int z = plane - 1;
    unpack_line(z, low_x);
    unpack_line(z, low_y);
    find_blocks(z, -1);
    solve_lower(z);
    pack_line(z, high_x);
    pack_line(z, high_y);
}

void PencilKernel::upper(int plane) {
    const int z = plane - 1;
    unpack_line(z, high_x);
    unpack_line(z, high_y);
    find_blocks(z, 1);
    solve_upper(z);
    pack_line(z, low_x);
    pack_line(z, low_y);
}

void PencilKernel::add_changes() {
    const double factor = 1.0 / (kRelaxation * (2.0 - kRelaxation));
    flow::for_each_point({{}, box_.size}, [&](int x, int y, int z) {
        for (int m = 0; m < kComponents; ++m) u_.at(x, y, z)[m] += factor * r_.at(x, y, z)[m];
    });
}

}  // namespace linkworth::npb::lu
