// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "lu_pencil.hpp"

#include <algorithm>

#include "../flow/exact_solution.hpp"

namespace linkworth::npb::lu {
namespace {

HugeArray<double> filled(std::size_t size, double value) {
    HugeArray<double> array(size);
    std::fill_n(array.data(), size, value);
    return array;
}

}  // namespace

PencilKernel::PencilKernel(const Class& problem, const Layout& layout)
    : problem_(problem),
      layout_(layout),
      skew_(layout),
      stencil_(skew_),
      blocks_(skew_.points(), problem.time_step, kRelaxation),
      inside_(skew_),
      u_(skew_.size() * kLanes),
      r_(filled(skew_.inner_size() * kLanes, 0.0)),
      forcing_(filled(skew_.inner_size() * kLanes, 0.0)),
      inverse_densities_(
          filled(static_cast<std::size_t>(3 * (skew_.blocks() + 2) * skew_.steps()) * kLanes, 1.0)),
      arrivals_(static_cast<std::size_t>(skew_.inner_plane_stride()) * kLanes) {
    const auto row = static_cast<std::size_t>((skew_.inner_steps() + 2 * kWidth) * kComponents) * kLanes;
    row_ = filled(row, 0.0);
    zeros_ = filled(row, 0.0);
    // Padding holds a state at rest: it goes through the same arithmetic as the points.
    for (std::size_t i = 0; i < u_.size(); ++i) {
        const std::size_t component = i / kLanes % kComponents;
        u_[i] = component == 0 || component == 4 ? 1.0 : 0.0;
    }

    std::size_t ghosts = 0;
    for (const Side side : {low_x, high_x, low_y, high_y}) {
        if (!layout.has_neighbour(side)) continue;
        const int length = across_x(side) ? layout.own_y().count : layout.own_x().count;
        const auto line = static_cast<std::size_t>(length) * kComponents;
        ghosts = std::max(ghosts, line * flow::kReach * static_cast<std::size_t>(problem.points));
        outgoing_lines_[side].resize(line);
        incoming_lines_[side].resize(line);
    }
    outgoing_ghosts_ = HugeArray<double>(ghosts);
    incoming_ghosts_ = HugeArray<double>(ghosts);
}

template <class Use>
void PencilKernel::for_each_own_point(Use&& use) const {
    const Range x = layout_.own_x(), y = layout_.own_y();
    for (int k = 0; k < skew_.points(); ++k)
        for (int j = y.first; j < y.end(); ++j)
            for (int i = x.first; i < x.end(); ++i)
                use(i, j, k, skew_.point(i - skew_.x().first, j - skew_.y().first, k));
}

template <class StateAt>
void PencilKernel::fill(StateAt&& state_at) {
    for_each_own_point([&](int i, int j, int k, std::ptrdiff_t at) {
        const State state = state_at(flow::place(i, j, k, skew_.points()));
        for (int m = 0; m < kComponents; ++m) u_[at + m * kWidth] = state[m];
    });
}

void PencilKernel::fill_exact() { fill(flow::exact_state); }
void PencilKernel::fill_initial() { fill(flow::initial_state); }

void PencilKernel::add_squared_errors(State& sums) const {
    const auto inside = [&](int i) { return i > 0 && i < skew_.points() - 1; };
    for_each_own_point([&](int i, int j, int k, std::ptrdiff_t at) {
        if (!inside(i) || !inside(j) || !inside(k)) return;
        const State exact = flow::exact_state(flow::place(i, j, k, skew_.points()));
        for (int m = 0; m < kComponents; ++m) {
            const double error = exact[m] - u_[at + m * kWidth];
            sums[m] += error * error;
        }
    });
}

void PencilKernel::add_squared_residuals(State& sums) const {
    Lanes squares[kComponents] = {};
    for (int plane = 1; plane < skew_.points() - 1; ++plane)
        for (int block = 0; block < skew_.inner_blocks(); ++block) {
            const Lanes* r = inner(r_, skew_.inner_vector(plane, block));
            for (int s = 0; s < skew_.inner_steps(); ++s, r += kComponents) {
                const Lanes inside = inside_(s, block);
                for (int m = 0; m < kComponents; ++m) squares[m] += inside * (r[m] * r[m]);
            }
        }
    for (int m = 0; m < kComponents; ++m)
        for (int lane = 0; lane < kWidth; ++lane) sums[m] += squares[m][lane];
}

/// Layer by layer away from the side, the points along the side within a plane.
template <class Use>
void PencilKernel::for_each_ghost(Side side, bool outside, Use&& use) const {
    const bool cut_x = across_x(side);
    const Range& inner = cut_x ? skew_.x() : skew_.y();
    const Range& other = cut_x ? skew_.y() : skew_.x();
    const Range own = cut_x ? layout_.own_y() : layout_.own_x();
    const bool low = side == low_x || side == low_y;
    const int first = low ? (outside ? -flow::kReach : 0) : inner.count - (outside ? 0 : flow::kReach);
    for (int k = 0; k < skew_.points(); ++k)
        for (int layer = first; layer < first + flow::kReach; ++layer)
            for (int i = own.first - other.first; i < own.end() - other.first; ++i)
                use(cut_x ? skew_.point(layer, i, k) : skew_.point(i, layer, k));
}

void PencilKernel::pack_ghosts(Side side) {
    double* out = outgoing_ghosts_.data();
    const double* const u = u_.data();
    for_each_ghost(side, false, [&](std::ptrdiff_t at) {
        for (int m = 0; m < kComponents; ++m) *out++ = u[at + m * kWidth];
    });
}

void PencilKernel::unpack_ghosts(Side side) {
    const double* in = incoming_ghosts_.data();
    double* const u = u_.data();
    for_each_ghost(side, true, [&](std::ptrdiff_t at) {
        for (int m = 0; m < kComponents; ++m) u[at + m * kWidth] = *in++;
    });
}

}  // namespace linkworth::npb::lu
