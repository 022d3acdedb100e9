// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "solver.hpp"

#include <algorithm>
#include <cmath>

namespace linkworth::npb::sp {

namespace {

/// The diagonals of a matrix, from two points before to two points after.
enum Diagonal { kSecondBefore, kBefore, kCentre, kAfter, kSecondAfter, kDiagonals };

/// The speed of sound in each wave speed.
constexpr double kSign[kSpeeds] = {0.0, 1.0, -1.0};

/// The variables of each wave speed: [first, last).
constexpr int kFirstVariable[kSpeeds] = {0, 3, 4}, kLastVariable[kSpeeds] = {3, 4, 5};

}  // namespace

SolverKernel::SolverKernel(const Class& problem, const Layout& layout) : Cells(layout, problem.time_step) {
    std::size_t most_lines = 0;
    for (int cell = 0; cell < layout.cells(); ++cell) {
        const std::array<int, 3>& size = cells_[cell].box.size;
        sound_.emplace_back(size, 1, 0.0, 1);
        auto& matrices = matrices_.emplace_back();
        for (flow::Field& field : matrices) field = flow::Field(size, flow::kReach, 0.0, kDiagonals);
        for (int axis = 0; axis < 3; ++axis)
            most_lines = std::max(most_lines, inner_lines(layout, cell, axis));
    }
    if (layout.cells() == 1) return;
    outgoing_.resize(most_lines * kHandedToElimination);
    incoming_.resize(most_lines * kHandedToElimination);
}

void SolverKernel::right_hand_side(int number) {
    Cells::right_hand_side(number);
    const flow::Cell& cell = cells_[number];
    flow::for_each_point(flow::with_ghosts(cell.box.size), [&](int x, int y, int z) {
        const double* const derived = cell.derived.at(x, y, z);
        const double pressure = flow::kPressure * (cell.u.at(x, y, z)[4] - derived[flow::kKinetic]);
        *sound_[number].at(x, y, z) = std::sqrt(flow::kHeatRatio * pressure * derived[flow::kInverseDensity]);
    });
}

/// For a wave speed lambda the matrix is
///     1 + dt (lambda d/dx - sigma d^2/dx^2 + h^3 epsilon d^4/dx^4),
/// in central differences, sigma the largest of the axis' diffusion coefficients (RNR-94-007, 3.2.2). Values
/// outside the inner points are zero, and one-sided fourth differences change nothing but the middle of the
/// first and the last row.
void SolverKernel::find_matrices(int axis, int number, int speed) {
    // The largest coefficient of all components is that of the energy.
    static_assert(flow::kConduction > 4.0 / 3.0 * flow::kViscosity);
    const flow::Cell& cell = cells_[number];
    const flow::Field& sound = sound_[number];
    const flow::Differences factors = flow::differences(layout_.points());
    const double convection = time_step_ * factors.first, second = time_step_ * factors.second;
    const double fourth = time_step_ * flow::kDissipation;
    const auto spread = [&](const double* derived) {
        return second * (flow::kDiffusion[axis] + flow::kConduction * derived[flow::kInverseDensity]);
    };

    flow::for_each_point(cell.inner, [&](int x, int y, int z) {
        const double* const here = cell.derived.at(x, y, z);
        const double* const low = here - cell.derived.stride(axis);
        const double* const high = here + cell.derived.stride(axis);
        const double sound_low = sound.at(x, y, z)[-sound.stride(axis)];
        const double sound_high = sound.at(x, y, z)[sound.stride(axis)];
        const int index = cell.box.first[axis] + (axis == 0 ? x : axis == 1 ? y : z);
        const bool edge = index == 1 || index == layout_.points() - 2;
        const double speed_low = low[flow::kVelocity + axis] + kSign[speed] * sound_low;
        const double speed_high = high[flow::kVelocity + axis] + kSign[speed] * sound_high;
        double* const row = matrices_[number][speed].at(x, y, z);
        row[kSecondBefore] = fourth;
        row[kBefore] = -convection * speed_low - spread(low) - 4.0 * fourth;
        row[kCentre] = 1.0 + 2.0 * spread(here) + (edge ? 5.0 : 6.0) * fourth;
        row[kAfter] = convection * speed_high - spread(high) - 4.0 * fourth;
        row[kSecondAfter] = fourth;
    });
}

void SolverKernel::eliminate(int axis, int number, int speed) {
    flow::Cell& cell = cells_[number];
    flow::Field& matrices = matrices_[number][speed];
    const std::ptrdiff_t to_row = matrices.stride(axis), to_values = cell.right.stride(axis);
    flow::for_each_point(cell.inner, [&](int x, int y, int z) {
        double* const row = matrices.at(x, y, z);
        double* const values = cell.right.at(x, y, z);
        const double *const one = row - to_row, *const two = one - to_row;
        row[kBefore] -= row[kSecondBefore] * two[kAfter];
        row[kCentre] -= row[kSecondBefore] * two[kSecondAfter] + row[kBefore] * one[kAfter];
        row[kAfter] -= row[kBefore] * one[kSecondAfter];
        const double inverse = 1.0 / row[kCentre];
        row[kAfter] *= inverse;
        row[kSecondAfter] *= inverse;
        for (int m = kFirstVariable[speed]; m < kLastVariable[speed]; ++m)
            values[m] = inverse * (values[m] - row[kSecondBefore] * values[m - 2 * to_values] -
                                   row[kBefore] * values[m - to_values]);
    });
}

void SolverKernel::substitute(int axis, int number, int speed) {
    flow::Cell& cell = cells_[number];
    const flow::Field& matrices = matrices_[number][speed];
    const std::ptrdiff_t to_values = cell.right.stride(axis);
    const flow::Points& inner = cell.inner;
    for (int z = inner.last[2] - 1; z >= inner.first[2]; --z)
        for (int y = inner.last[1] - 1; y >= inner.first[1]; --y)
            for (int x = inner.last[0] - 1; x >= inner.first[0]; --x) {
                const double* const row = matrices.at(x, y, z);
                double* const values = cell.right.at(x, y, z);
                for (int m = kFirstVariable[speed]; m < kLastVariable[speed]; ++m)
                    values[m] -=
                        row[kAfter] * values[m + to_values] + row[kSecondAfter] * values[m + 2 * to_values];
            }
}

void SolverKernel::unpack_rows(int axis, int number) {
    flow::Cell& cell = cells_[number];
    if (cell.box.first[axis] == 0) return;
    const double* in = incoming_.data();
    for_each_line(number, axis, [&](int x, int y, int z) {
        for (int p = -2; p < 0; ++p) {
            for (flow::Field& matrices : matrices_[number]) {
                double* const row = matrices.at(x, y, z) + p * matrices.stride(axis);
                row[kAfter] = *in++;
                row[kSecondAfter] = *in++;
            }
            std::copy_n(in, flow::kComponents, cell.right.at(x, y, z) + p * cell.right.stride(axis));
            in += flow::kComponents;
        }
    });
}

void SolverKernel::pack_rows(int axis, int number) {
    const flow::Cell& cell = cells_[number];
    const int size = cell.box.size[axis];
    if (cell.box.first[axis] + size == layout_.points()) return;
    double* out = outgoing_.data();
    for_each_line(number, axis, [&](int x, int y, int z) {
        for (int p = size - 2; p < size; ++p) {
            for (const flow::Field& matrices : matrices_[number]) {
                const double* const row = matrices.at(x, y, z) + p * matrices.stride(axis);
                *out++ = row[kAfter];
                *out++ = row[kSecondAfter];
            }
            out = std::copy_n(cell.right.at(x, y, z) + p * cell.right.stride(axis), flow::kComponents, out);
        }
    });
}

void SolverKernel::eliminate(int axis, int cell) {
    if (axis == 0) conserved_to_x(cell);
    unpack_rows(axis, cell);
    for (int speed = 0; speed < kSpeeds; ++speed) {
        find_matrices(axis, cell, speed);
        eliminate(axis, cell, speed);
    }
    pack_rows(axis, cell);
}

void SolverKernel::substitute(int axis, int number) {
    flow::Cell& cell = cells_[number];
    const int size = cell.box.size[axis];
    const bool starts = cell.box.first[axis] == 0, ends = cell.box.first[axis] + size == layout_.points();
    const std::ptrdiff_t step = cell.right.stride(axis);
    const double* in = incoming_.data();
    if (!ends)
        for_each_line(number, axis, [&](int x, int y, int z) {
            for (int p = size; p < size + 2; ++p, in += flow::kComponents)
                std::copy_n(in, flow::kComponents, cell.right.at(x, y, z) + p * step);
        });
    for (int speed = 0; speed < kSpeeds; ++speed) substitute(axis, number, speed);
    double* out = outgoing_.data();
    if (!starts)
        for_each_line(number, axis, [&](int x, int y, int z) {
            for (int p = 0; p < 2; ++p)
                out = std::copy_n(cell.right.at(x, y, z) + p * step, flow::kComponents, out);
        });
    if (axis == 0) x_to_y(number);
    if (axis == 1) y_to_z(number);
    if (axis == 2) {
        z_to_conserved(number);
        add_changes(number);
    }
}

}  // namespace linkworth::npb::sp
