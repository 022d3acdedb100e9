// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "cells.hpp"

#include <algorithm>

#include "fill.hpp"

namespace linkworth::npb::flow {

namespace {

/// Calls use(components of a point) for the kReach layers at a side: those inside the field, or, `outside`,
/// the ghosts.
template <class Use>
void for_each_face_point(Field& field, int side, bool outside, Use&& use) {
    const int axis = side_axis(side);
    std::array<int, 3> first{0, 0, 0}, count = field.size();
    count[axis] = kReach;
    if (side_step(side) > 0)
        first[axis] = field.size()[axis] - (outside ? 0 : kReach);
    else
        first[axis] = outside ? -kReach : 0;
    for (int z = first[2]; z < first[2] + count[2]; ++z)
        for (int y = first[1]; y < first[1] + count[1]; ++y)
            for (int x = first[0]; x < first[0] + count[0]; ++x) use(field.at(x, y, z));
}

}  // namespace

Cell::Cell(const Box& place, int points)
    : box(place),
      inner(inner_points(place, points)),
      u(place.size, kReach, 0.0),
      right(place.size, kReach, 0.0),
      forcing(place.size, 0, 0.0),
      derived(derived_field(place.size)) {
    fill_exact(u, box, points);
    derive(u, derived);
    find_right_hand_side(box, points, u, derived, nullptr, -1.0, forcing);
}

Cells::Cells(const MultiPartition& layout, double time_step) : layout_(layout), time_step_(time_step) {
    for (int cell = 0; cell < layout.cells(); ++cell) cells_.emplace_back(layout.box(cell), layout.points());
    if (layout.cells() == 1) return;
    for (int side = 0; side < kSides; ++side) {
        outgoing_faces_[side].resize(face_message(layout, side));
        incoming_faces_[side].resize(face_message(layout, side));
    }
}

void Cells::reset() {
    for (Cell& cell : cells_) fill_initial(cell.u, cell.box, layout_.points());
}

template <class Use>
void Cells::for_each_shared_face(int side, Use&& use) {
    const int axis = side_axis(side);
    for (int slab = 0; slab < layout_.cells(); ++slab) {
        const int behind = slab + side_step(side);
        if (behind >= 0 && behind < layout_.cells()) use(cells_[layout_.cell_in(slab, axis)]);
    }
}

void Cells::pack_faces() {
    for (int side = 0; side < kSides; ++side) {
        double* out = outgoing_faces_[side].data();
        for_each_shared_face(side, [&](Cell& cell) {
            for_each_face_point(cell.u, side, false,
                                [&](const double* point) { out = std::copy_n(point, kComponents, out); });
        });
    }
}

void Cells::unpack_faces() {
    for (int side = 0; side < kSides; ++side) {
        const double* in = incoming_faces_[side].data();
        for_each_shared_face(side, [&](Cell& cell) {
            for_each_face_point(cell.u, side, true, [&](double* point) {
                std::copy_n(in, kComponents, point);
                in += kComponents;
            });
        });
    }
}

void Cells::right_hand_side(int number) {
    Cell& cell = cells_[number];
    derive(cell.u, cell.derived);
    find_right_hand_side(cell.box, layout_.points(), cell.u, cell.derived, &cell.forcing, time_step_,
                         cell.right);
}

void Cells::add_changes(int number) {
    Cell& cell = cells_[number];
    for_each_point(cell.inner, [&](int x, int y, int z) {
        for (int m = 0; m < kComponents; ++m) cell.u.at(x, y, z)[m] += cell.right.at(x, y, z)[m];
    });
}

State Cells::squared_errors() const {
    State sums{};
    for (const Cell& cell : cells_) add_squared_errors(cell.u, cell.box, layout_.points(), sums);
    return sums;
}

State Cells::squared_residuals() const {
    State sums{};
    for (const Cell& cell : cells_) add_squares(cell.right, sums);
    for (double& sum : sums) sum /= time_step_ * time_step_;
    return sums;
}

}  // namespace linkworth::npb::flow
