// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "faces.hpp"

#include <algorithm>

namespace linkworth::npb::flow {

namespace {

/// Calls use(start of a run along x, its length) for each run of kReach layers at a side: those inside the
/// field, or, `outside`, the ghosts.
template <class AnyField, class Use>
void for_each_run(AnyField& field, int side, bool outside, Use&& use) {
    const int axis = side_axis(side);
    std::array<int, 3> first{0, 0, 0}, count = field.size();
    count[axis] = kReach;
    if (side_step(side) > 0)
        first[axis] = field.size()[axis] - (outside ? 0 : kReach);
    else
        first[axis] = outside ? -kReach : 0;
    for (int z = first[2]; z < first[2] + count[2]; ++z)
        for (int y = first[1]; y < first[1] + count[1]; ++y)
            for (int m = 0; m < field.components(); ++m) use(field.row(m, y, z) + first[0], count[0]);
}

}  // namespace

Faces::Faces(const MultiPartition& layout) : layout_(layout) {
    if (layout.cells() == 1) return;
    for (int side = 0; side < kSides; ++side) {
        outgoing_[side] = HugeArray<double>(face_message(layout, side));
        incoming_[side] = HugeArray<double>(face_message(layout, side));
    }
}

template <class Use>
void Faces::for_each_cell(int side, Use&& use) const {
    const int axis = side_axis(side);
    for (int slab = 0; slab < layout_.cells(); ++slab) {
        const int behind = slab + side_step(side);
        if (behind >= 0 && behind < layout_.cells()) use(layout_.cell_in(slab, axis));
    }
}

void Faces::pack(std::span<const Field> cells) {
    for (int side = 0; side < kSides; ++side) {
        double* out = outgoing_[side].data();
        for_each_cell(side, [&](int cell) {
            for_each_run(cells[cell], side, false,
                         [&](const double* run, int length) { out = std::copy_n(run, length, out); });
        });
    }
}

void Faces::unpack(std::span<Field> cells) const {
    for (int side = 0; side < kSides; ++side) {
        const double* in = incoming_[side].data();
        for_each_cell(side, [&](int cell) {
            for_each_run(cells[cell], side, true, [&](double* run, int length) {
                std::copy_n(in, length, run);
                in += length;
            });
        });
    }
}

}  // namespace linkworth::npb::flow
