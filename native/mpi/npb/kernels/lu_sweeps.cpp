// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include <algorithm>

#include "lu_block_solve.hpp"
#include "lu_pencil.hpp"

namespace linkworth::npb::lu {

/// Vectors of a plane one after the other, each with what the vector before it, the block before it and the
/// plane before it add to its system. arrivals_ holds what comes from the plane before, and takes what goes
/// to the next one.
template <Sweep sweep, bool with_squares>
void PencilKernel::sweep_plane(int plane, State* squares) {
    constexpr bool up = sweep == Sweep::lower;
    constexpr std::ptrdiff_t step = up ? kComponents : -kComponents;
    const BlockFactors f = blocks_;
    const int last_step = skew_.inner_steps() - 1, last_block = skew_.inner_blocks() - 1;
    const std::ptrdiff_t start = up ? 0 : std::ptrdiff_t{last_step} * kComponents;
    Lanes sums[kComponents] = {};

    for (int b = 0; b <= last_block; ++b) {
        const int block = up ? b : last_block - b;
        const std::ptrdiff_t begin = skew_.inner_vector(plane, block) + start;
        Lanes* at = u(plane, block) + start;
        Lanes* r = inner(r_, begin);
        Lanes* arrivals = inner(arrivals_, block * skew_.inner_block_stride() + start);
        Lanes* const line = inner(row_, kWidth * kComponents);
        Lanes* row_out = line + start;
        // The neighbouring block's last row is kLanes - 1 steps on, and adds to the step after its own.
        const Lanes* row_in =
            (b == 0 ? inner(zeros_, kWidth * kComponents) : line) + start + step * (kWidth - 1);
        Lanes from_x[kComponents] = {}, from_y[kComponents] = {};
        for (int s = 0; s <= last_step;
             ++s, at += step, r += step, arrivals += step, row_out += step, row_in += step) {
            const Lanes inside = inside_(up ? s : last_step - s, block);
            const Point point(at);
            Lanes sum[kComponents];
            for (int m = 0; m < kComponents; ++m) {
                const Lanes shifted =
                    up ? window<kWidth - 1>(row_in[m], from_y[m]) : window<1>(from_y[m], row_in[m]);
                sum[m] = arrivals[m] + from_x[m] + shifted;
                if (up) sum[m] += f.time_step * r[m];
            }
            Change change = solve_diagonal(f, point, sum, inside);
            if (!up) {
                for (int m = 0; m < kComponents; ++m) change.v[m] += r[m];
                change = Change(point, change.v);
            }
            const Contributions gives = contributions<sweep>(f, at, point, change);
            for (int m = 0; m < kComponents; ++m) {
                r[m] = change.v[m];
                from_x[m] = gives.to[0][m];
                row_out[m] = from_y[m] = gives.to[1][m];
                arrivals[m] = gives.to[2][m];
                if (!up) at[m] += f.update * change.v[m];
                if (with_squares) sums[m] += change.v[m] * change.v[m];
            }
        }
    }
    if (with_squares)
        for (int m = 0; m < kComponents; ++m)
            for (int lane = 0; lane < kWidth; ++lane) (*squares)[m] += sums[m][lane];
}

/// `side` is where the line comes from. Its state is in the ghosts beside the inner points; vectors are made
/// of points along the line.
template <Sweep sweep>
void PencilKernel::take_line(int plane, Side side) {
    const bool along_y = across_x(side);
    const int length = along_y ? skew_.y().count : skew_.x().count;
    const int beside = side == low_x || side == low_y ? 0 : (along_y ? skew_.x().count : skew_.y().count) - 1;
    const int ghost = beside == 0 && (side == low_x || side == low_y) ? -1 : beside + 1;
    const double* const line = incoming_lines_[side].data();
    const double* const u = u_.data();
    double* const arrivals = arrivals_.data();
    for (int first = 0; first < length; first += kWidth) {
        const int count = std::min(kWidth, length - first);
        Lanes state[kComponents] = {Lanes{} + 1.0}, solution[kComponents] = {};
        for (int lane = 0; lane < count; ++lane) {
            const int i = first + lane;
            const std::ptrdiff_t from = along_y ? skew_.point(ghost, i, plane) : skew_.point(i, ghost, plane);
            for (int m = 0; m < kComponents; ++m) {
                state[m][lane] = u[from + m * kWidth];
                solution[m][lane] = line[i * kComponents + m];
            }
        }
        const Point point(state);
        const Contributions gives = contributions<sweep>(blocks_, state, point, Change(point, solution));
        const Lanes(&given)[kComponents] = gives.to[along_y ? 0 : 1];
        for (int lane = 0; lane < count; ++lane) {
            const int i = first + lane;
            const std::ptrdiff_t to =
                along_y ? skew_.inner_point(beside, i, 1) : skew_.inner_point(i, beside, 1);
            for (int m = 0; m < kComponents; ++m) arrivals[to + m * kWidth] += given[m][lane];
        }
    }
}

template <Sweep sweep>
void PencilKernel::take_lines(int plane) {
    constexpr bool up = sweep == Sweep::lower;
    if (plane == (up ? 1 : skew_.points() - 2)) std::fill_n(arrivals_.data(), arrivals_.size(), 0.0);
    for (const Side side : {up ? low_x : high_x, up ? low_y : high_y})
        if (layout_.has_neighbour(side)) take_line<sweep>(plane, side);
}

void PencilKernel::pack_line(int plane, Side side) {
    if (!layout_.has_neighbour(side)) return;
    const bool along_y = across_x(side);
    const int length = along_y ? skew_.y().count : skew_.x().count;
    const int at = side == low_x || side == low_y ? 0 : (along_y ? skew_.x().count : skew_.y().count) - 1;
    double* out = outgoing_lines_[side].data();
    for (int i = 0; i < length; ++i) {
        const double* const from =
            r_.data() + (along_y ? skew_.inner_point(at, i, plane) : skew_.inner_point(i, at, plane));
        for (int m = 0; m < kComponents; ++m) *out++ = from[m * kWidth];
    }
}

void PencilKernel::lower(int plane) {
    take_lines<Sweep::lower>(plane);
    sweep_plane<Sweep::lower, false>(plane, nullptr);
    pack_line(plane, high_x);
    pack_line(plane, high_y);
}

void PencilKernel::upper(int plane, State* squares) {
    take_lines<Sweep::upper>(plane);
    if (squares)
        sweep_plane<Sweep::upper, true>(plane, squares);
    else
        sweep_plane<Sweep::upper, false>(plane, nullptr);
    pack_line(plane, low_x);
    pack_line(plane, low_y);
}

}  // namespace linkworth::npb::lu
