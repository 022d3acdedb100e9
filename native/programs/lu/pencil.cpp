// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "pencil.hpp"

#include <algorithm>

#include "../flow/fill.hpp"

namespace linkworth::npb::lu {

PencilKernel::PencilKernel(const Class& problem, const Layout& layout)
    : problem_(problem),
      layout_(layout),
      box_{{layout.inner_x().first, layout.inner_y().first, 1},
           {layout.inner_x().count, layout.inner_y().count, problem.points - 2}},
      u_(box_.size, flow::kReach, 0.0),
      r_(box_.size, 1, 0.0),
      forcing_(box_.size, 0, 0.0),
      derived_(flow::derived_field(box_.size)) {
    const auto plane = static_cast<std::size_t>(box_.size[0] * box_.size[1]);
    for (std::vector<flow::Block>& blocks : neighbour_) blocks.resize(plane);
    diagonal_.resize(plane);

    std::size_t ghosts = 0;
    for (const Side side : {low_x, high_x, low_y, high_y}) {
        if (!layout.has_neighbour(side)) continue;
        const int length = across_x(side) ? layout.own_y().count : layout.own_x().count;
        const auto line = static_cast<std::size_t>(length) * flow::kComponents;
        ghosts = std::max(ghosts, line * flow::kReach * static_cast<std::size_t>(problem.points));
        outgoing_lines_[side].resize(line);
        incoming_lines_[side].resize(line);
    }
    outgoing_ghosts_.resize(ghosts);
    incoming_ghosts_.resize(ghosts);
}

void PencilKernel::fill_exact() { flow::fill_exact(u_, box_, problem_.points); }
void PencilKernel::fill_initial() { flow::fill_initial(u_, box_, problem_.points); }

void PencilKernel::right_hand_side() {
    flow::derive(u_, derived_);
    flow::find_right_hand_side(box_, problem_.points, u_, derived_, &forcing_, 1.0, r_);
}

/// Taken with no forcing, the right-hand side is the difference operator of u.
void PencilKernel::take_forcing() {
    flow::for_each_point({{}, box_.size}, [&](int x, int y, int z) {
        for (int m = 0; m < flow::kComponents; ++m) forcing_.at(x, y, z)[m] = -r_.at(x, y, z)[m];
    });
}

void PencilKernel::add_squares(State& sums) const { flow::add_squares(r_, sums); }

void PencilKernel::add_squared_errors(State& sums) const {
    flow::add_squared_errors(u_, box_, problem_.points, sums);
}

/// Layer by layer away from the side, the points along the side within a plane, boundary included.
template <class Use>
void PencilKernel::for_each_ghost(Side side, bool outside, Use&& use) {
    const int cut = across_x(side) ? 0 : 1;
    const Range own = across_x(side) ? layout_.own_y() : layout_.own_x();
    const bool low = side == low_x || side == low_y;
    const int first = low ? (outside ? -flow::kReach : 0) : box_.size[cut] - (outside ? 0 : flow::kReach);
    for (int k = 0; k < problem_.points; ++k)
        for (int layer = first; layer < first + flow::kReach; ++layer)
            for (int i = own.first; i < own.end(); ++i) {
                const int along = i - box_.first[1 - cut];
                use(cut == 0 ? u_.at(layer, along, k - 1) : u_.at(along, layer, k - 1));
            }
}

void PencilKernel::pack_ghosts(Side side) {
    double* out = outgoing_ghosts_.data();
    for_each_ghost(side, false,
                   [&](const double* point) { out = std::copy_n(point, flow::kComponents, out); });
}

void PencilKernel::unpack_ghosts(Side side) {
    const double* in = incoming_ghosts_.data();
    for_each_ghost(side, true, [&](double* point) {
        std::copy_n(in, flow::kComponents, point);
        in += flow::kComponents;
    });
}

}  // namespace linkworth::npb::lu
