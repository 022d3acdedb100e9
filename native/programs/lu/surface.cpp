// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pencil.hpp"

/// The surface integral of the pressure: trapezoids over the faces of a box (RNR-94-007, 3.4).
namespace linkworth::npb::lu {

void PencilKernel::take_faces(int axis) {
    face_axis_ = axis;
    const Range whole{0, problem_.points};
    for (int number = 0; number < 2; ++number) {
        Face& face = faces_[number];
        face.first = axis == 0 ? layout_.own_y() : layout_.own_x();
        face.second = axis == 2 ? layout_.own_y() : whole;
        face.values.assign(static_cast<std::size_t>((face.first.count + 2) * (face.second.count + 2)), 0.0);
        if (!layout_.has_face(axis, number)) continue;
        const int at = layout_.face_position(axis, number);
        for (int i = face.first.first; i < face.first.end(); ++i)
            for (int j = face.second.first; j < face.second.end(); ++j) {
                const int x = axis == 0 ? at : i,
                          y = axis == 0   ? i
                              : axis == 1 ? at
                                          : j,
                          z = axis == 2 ? at : j;
                const double* const u = u_.at(x - box_.first[0], y - box_.first[1], z - 1);
                const double momentum = u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
                face.at(i, j) = flow::kPressure * (u[4] - 0.5 * momentum / u[0]);
            }
    }
    const auto longest = static_cast<std::size_t>(
        2 * (std::max({layout_.own_x().count, layout_.own_y().count, problem_.points}) + 2));
    outgoing_face_line_.resize(longest);
    incoming_face_line_.resize(longest);
}

namespace {

/// The messages of the faces across z carry both faces. Those across y carry the corners too, which have come
/// in across x before.
bool has_corners(int axis, Side side) { return axis == 2 && !across_x(side); }

}  // namespace

void PencilKernel::pack_face_line(Side side, int only) {
    const bool fixed_first = across_x(side) ? face_axis_ != 0 : face_axis_ == 0;
    const int corner = has_corners(face_axis_, side) ? 1 : 0;
    double* out = outgoing_face_line_.data();
    for (int number = 0; number < 2; ++number) {
        if (only >= 0 && number != only) continue;
        const Face& face = faces_[number];
        const Range along = fixed_first ? face.second : face.first;
        for (int i = along.first - corner; i < along.end() + corner; ++i)
            *out++ = fixed_first ? face.at(face.first.first, i) : face.at(i, face.second.first);
    }
}

void PencilKernel::unpack_face_line(Side side, int only) {
    const bool fixed_first = across_x(side) ? face_axis_ != 0 : face_axis_ == 0;
    const int corner = has_corners(face_axis_, side) ? 1 : 0;
    const double* in = incoming_face_line_.data();
    for (int number = 0; number < 2; ++number) {
        if (only >= 0 && number != only) continue;
        Face& face = faces_[number];
        const Range along = fixed_first ? face.second : face.first;
        for (int i = along.first - corner; i < along.end() + corner; ++i)
            (fixed_first ? face.at(face.first.end(), i) : face.at(i, face.second.end())) = *in++;
    }
}

double PencilKernel::face_sum() const {
    const int first_axis = face_axis_ == 0 ? 1 : 0, second_axis = face_axis_ == 2 ? 1 : 2;
    // Cells of the box whose lower corner is an own point.
    const auto cells = [&](int axis, Range own) {
        const int begin = std::max(own.first, layout_.face_position(axis, 0));
        const int end = std::min(own.end(), layout_.face_position(axis, 1));
        return Range{begin, end - begin};
    };
    double sum = 0.0;
    for (int number = 0; number < 2; ++number) {
        if (!layout_.has_face(face_axis_, number)) continue;
        const Face& face = faces_[number];
        const Range is = cells(first_axis, face.first), js = cells(second_axis, face.second);
        for (int i = is.first; i < is.end(); ++i)
            for (int j = js.first; j < js.end(); ++j)
                sum += face.at(i, j) + face.at(i + 1, j) + face.at(i, j + 1) + face.at(i + 1, j + 1);
    }
    const double spacing = 1.0 / (problem_.points - 1.0);
    return spacing * spacing * sum;
}

}  // namespace linkworth::npb::lu
