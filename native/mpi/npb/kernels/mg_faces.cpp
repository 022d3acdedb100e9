// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "mg_faces.hpp"

namespace linkworth::npb::mg {
namespace {

/// Index of the first or last point.
std::int64_t edge(std::int64_t extent, int direction) { return direction == kLower ? 0 : extent - 1; }
/// Index of the ghost beyond it.
std::int64_t beyond(std::int64_t extent, int direction) { return direction == kLower ? -1 : extent; }

}  // namespace

Faces::Faces(const Layout& layout) {
    const std::size_t size = layout.receive_size();
    for (int axis = 0; axis < kAxes; ++axis)
        for (int direction : {kLower, kUpper}) {
            sent_[axis][direction] = HugeArray<double>(size / 2);
            if (layout.ranks() > 1) received_[axis][direction] = HugeArray<double>(size);
        }
}

void Faces::start(const Triple& extent) {
    extent_ = extent;
    wide_ = extent[0] + 2;
    for (int axis = 0; axis < kAxes; ++axis)
        for (int direction : {kLower, kUpper}) ghosts_[axis][direction] = incoming(axis, direction);
}

void Faces::store_row(const double* row, std::int64_t y, std::int64_t z) {
    const auto [nx, ny, nz] = extent_;
    for (int direction : {kLower, kUpper}) {
        outgoing(0, direction)[z * ny + y] = row[edge(nx, direction)];
        if (y == edge(ny, direction)) std::copy_n(row, nx, face_row_y(direction, z));
        if (z == edge(nz, direction)) std::copy_n(row, nx, face_row_z(direction, y));
    }
}

void Faces::store(const Grid& grid) {
    for (std::int64_t z = 0; z < grid.extent[2]; ++z)
        for (std::int64_t y = 0; y < grid.extent[1]; ++y) store_row(grid.row(y, z), y, z);
}

void Faces::complete(int axis) {
    const auto [nx, ny, nz] = extent_;
    for (int direction : {kLower, kUpper}) {
        const std::int64_t last_y = edge(ny, direction), last_z = edge(nz, direction);
        if (axis == 0)
            for (int side : {kLower, kUpper}) {
                const double* const ghosts = beyond_x(side);
                for (std::int64_t z = 0; z < nz; ++z)
                    face_row_y(direction, z)[beyond(nx, side)] = ghosts[z * ny + last_y];
                for (std::int64_t y = 0; y < ny; ++y)
                    face_row_z(direction, y)[beyond(nx, side)] = ghosts[last_z * ny + y];
            }
        if (axis == 1)
            for (int side : {kLower, kUpper})
                std::copy_n(row_beyond_y(side, last_z) - 1, wide_,
                            face_row_z(direction, beyond(ny, side)) - 1);
    }
}

void Faces::wrap(int axis) {
    ghosts_[axis][kLower] = outgoing(axis, kUpper);
    ghosts_[axis][kUpper] = outgoing(axis, kLower);
    complete(axis);
}

void Faces::pack(const Grid& grid, int axis, int direction) {
    const auto [nx, ny, nz] = grid.extent;
    double* out = outgoing(axis, direction);
    if (axis == 0) {
        for (std::int64_t z = 0; z < nz; ++z)
            for (std::int64_t y = 0; y < ny; ++y) *out++ = grid.row(y, z)[edge(nx, direction)];
    } else if (axis == 1) {
        for (std::int64_t z = 0; z < nz; ++z, out += nx + 2)
            std::copy_n(grid.row(edge(ny, direction), z) - 1, nx + 2, out);
    } else {
        for (std::int64_t y = -1; y <= ny; ++y, out += nx + 2)
            std::copy_n(grid.row(y, edge(nz, direction)) - 1, nx + 2, out);
    }
}

void Faces::unpack(const Grid& grid, int axis) const {
    const auto [nx, ny, nz] = grid.extent;
    const double* in[2] = {ghosts_[axis][kLower], ghosts_[axis][kUpper]};
    if (axis == 0) {
        for (std::int64_t z = 0; z < nz; ++z)
            for (std::int64_t y = 0; y < ny; ++y) {
                double* const row = grid.row(y, z);
                row[-1] = *in[kLower]++;
                row[nx] = *in[kUpper]++;
            }
        return;
    }
    for (int direction : {kLower, kUpper}) {
        if (axis == 1)
            for (std::int64_t z = 0; z < nz; ++z, in[direction] += nx + 2)
                std::copy_n(in[direction], nx + 2, grid.row(beyond(ny, direction), z) - 1);
        else
            for (std::int64_t y = -1; y <= ny; ++y, in[direction] += nx + 2)
                std::copy_n(in[direction], nx + 2, grid.row(y, beyond(nz, direction)) - 1);
    }
}

void wrap(const Grid& grid) {
    const auto [nx, ny, nz] = grid.extent;
    for (std::int64_t z = 0; z < nz; ++z) {
        for (std::int64_t y = 0; y < ny; ++y) {
            double* const row = grid.row(y, z);
            row[-1] = row[nx - 1];
            row[nx] = row[0];
        }
        std::copy_n(grid.row(ny - 1, z) - 1, nx + 2, grid.row(-1, z) - 1);
        std::copy_n(grid.row(0, z) - 1, nx + 2, grid.row(ny, z) - 1);
    }
    const std::int64_t plane = grid.row_stride * (ny + 1) + nx + 2;
    std::copy_n(grid.row(-1, nz - 1) - 1, plane, grid.row(-1, -1) - 1);
    std::copy_n(grid.row(-1, 0) - 1, plane, grid.row(-1, nz) - 1);
}

}  // namespace linkworth::npb::mg
