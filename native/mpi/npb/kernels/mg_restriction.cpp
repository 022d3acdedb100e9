// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include "mg_restriction.hpp"
#include "mg_rows.hpp"

namespace linkworth::npb::mg {
namespace {

/// Coarse points along an axis that a fine one is a neighbour of or lies upon.
struct Targets {
    int count = 0;
    std::int64_t index[2];
    double weight[2];

    Targets(std::int64_t fine, std::int64_t coarse_extent) {
        const auto add = [&](std::int64_t at, double its_weight) {
            if (at < 0 || at >= coarse_extent) return;
            index[count] = at;
            weight[count++] = its_weight;
        };
        if (fine % 2 != 0) {
            add(fine / 2, 1.0);
        } else {
            add(fine / 2 - 1, 0.5);
            add(fine / 2, 0.5);
        }
    }
};

}  // namespace

void restrict_row(const Grid& coarse, const double* halved, std::int64_t first, std::int64_t count,
                  std::int64_t y, std::int64_t z, bool add) {
    const Targets in_y(y, coarse.extent[1]), in_z(z, coarse.extent[2]);
    for (int j = 0; j < in_z.count; ++j)
        for (int i = 0; i < in_y.count; ++i) {
            const double weight = 0.5 * in_y.weight[i] * in_z.weight[j];
            double* const to = coarse.row(in_y.index[i], in_z.index[j]) + first;
            if (!add && y == 2 * in_y.index[i] && z == 2 * in_z.index[j]) {
#pragma omp simd
                for (std::int64_t x = 0; x < count; ++x) to[x] = weight * halved[x];
            } else {
#pragma omp simd
                for (std::int64_t x = 0; x < count; ++x) to[x] += weight * halved[x];
            }
        }
}

void restrict_ghosts(const Grid& coarse, const Faces& faces, const Triple& extent, double* row,
                     double* halved) {
    const auto [nx, ny, nz] = extent;
    const auto add = [&](const double* ghosts, std::int64_t y, std::int64_t z) {
        std::copy_n(ghosts, nx + 1, row);
        halve_row(row, halved, nx);
        restrict_row(coarse, halved, 0, nx / 2, y, z, true);
    };
    for (std::int64_t y = 0; y <= ny; ++y) add(faces.row_beyond_z(kUpper, y), y, nz);
    for (std::int64_t z = 0; z < nz; ++z) add(faces.row_beyond_y(kUpper, z), ny, z);
    const double* beyond_x = faces.beyond_x(kUpper);
    for (std::int64_t z = 0; z < nz; ++z)
        for (std::int64_t y = 0; y < ny; ++y) {
            const double half = 0.5 * *beyond_x++;
            restrict_row(coarse, &half, nx / 2 - 1, 1, y, z, true);
        }
}

void restrict_grid(const Grid& coarse, const Grid& fine, const std::array<bool, kAxes>& odd, double* row) {
    const std::int64_t nx = fine.extent[0];
    for (std::int64_t Z = 0; Z < coarse.extent[2]; ++Z)
        for (std::int64_t Y = 0; Y < coarse.extent[1]; ++Y) {
            const std::int64_t y = odd[1] ? Y : 2 * Y + 1, z = odd[2] ? Z : 2 * Z + 1;
            const double* near[3][3];
            for (int dz = 0; dz < 3; ++dz)
                for (int dy = 0; dy < 3; ++dy) near[dz][dy] = fine.row(y + dy - 1, z + dz - 1);
#pragma omp simd
            for (std::int64_t x = -1; x <= nx; ++x)
                row[x] = 0.5 * near[1][1][x] +
                         0.25 * (near[0][1][x] + near[2][1][x] + near[1][0][x] + near[1][2][x]) +
                         0.125 * (near[0][0][x] + near[0][2][x] + near[2][0][x] + near[2][2][x]);
            if (odd[0])
                *coarse.row(Y, Z) = row[0] + 0.5 * (row[-1] + row[1]);
            else
                halve_row(row, coarse.row(Y, Z), nx);
        }
}

}  // namespace linkworth::npb::mg
