// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include "mg_rows.hpp"
#include "mg_smoothing.hpp"

namespace linkworth::npb::mg {
namespace {

/// Coarse points along an axis whose mean is a fine one's value: one or two.
struct Sources {
    int count;
    std::int64_t index[2];

    Sources(std::int64_t fine, bool odd) {
        const std::int64_t place = fine + (odd ? 1 : 0), half = place >> 1;
        if (place % 2 != 0)
            *this = {1, half, half};
        else
            *this = {2, half - 1, half};
    }

  private:
    Sources(int n, std::int64_t a, std::int64_t b) : count(n), index{a, b} {}
};

void interpolate(const Correction& work, std::int64_t y, std::int64_t z, const double* ahead) {
    const Sources from_y(y, work.odd[1]), from_z(z, work.odd[2]);
    const double* coarse[4];
    int rows = 0;
    for (int j = 0; j < from_z.count; ++j)
        for (int i = 0; i < from_y.count; ++i)
            coarse[rows++] = work.coarse.row(from_y.index[i], from_z.index[j]);
    double* const u = work.u.row(y, z);
    const std::int64_t nx = work.u.extent[0];
    if (nx > 1) return interpolate_row(coarse, rows, u, nx / 2, work.accumulate, ahead);
    for (std::int64_t x = -1; x <= 1; ++x) {
        const Sources from_x(x, work.odd[0]);
        double sum = 0.0;
        for (int row = 0; row < rows; ++row)
            for (int i = 0; i < from_x.count; ++i) sum += coarse[row][from_x.index[i]];
        u[x] = sum / (rows * from_x.count) + (work.accumulate ? u[x] : 0.0);
    }
}

}  // namespace

std::int64_t rows_in_cache(const Triple& extent) {
    constexpr std::int64_t kBytes = 640 * 1024, kPlanes = 8;  // u, r and v, and what streams in
    const std::int64_t row = ghosted_row_stride(extent[0]) * static_cast<std::int64_t>(sizeof(double));
    return std::clamp<std::int64_t>(kBytes / (kPlanes * row) / 2 * 2, 8,
                                    std::max<std::int64_t>(8, extent[1]));
}

std::int64_t SmoothingRows::rows_for(const Triple& extent) {
    return kPlanes * rows_in_cache(extent) + 2 * kKept * extent[2] + 2;
}

SmoothingRows::SmoothingRows(const Triple& largest) {
    std::int64_t size = 0;
    for (Triple extent = largest;; extent = {(extent[0] + 1) / 2, (extent[1] + 1) / 2, (extent[2] + 1) / 2}) {
        size = std::max(size, rows_for(extent) * ghosted_row_stride(extent[0]));
        if (extent == Triple{1, 1, 1}) break;
    }
    storage_ = HugeArray<double>(static_cast<std::size_t>(size + kRowAlignment));
    first_ = storage_.data() + kRowAlignment;
}

void SmoothingRows::start(const Triple& extent) {
    extent_ = extent;
    stride_ = ghosted_row_stride(extent[0]);
    block_ = rows_in_cache(extent);
    count_ = rows_for(extent);
    before_ = first_ + kPlanes * block_ * stride_;
    kept_ = before_ + kKept * extent[2] * stride_;
    zeros_ = kept_ + kKept * extent[2] * stride_;
    // The ghosts of all rows: a row's upper one and the next row's lower one.
    std::fill_n(storage_.data(), kRowAlignment, 0.0);
    for (std::int64_t i = 0; i < count_; ++i)
        std::fill(first_ + i * stride_ + extent[0], first_ + (i + 1) * stride_, 0.0);
    std::fill_n(zeros_, stride_, 0.0);
    start_block(0, extent[1]);
}

void SmoothingRows::start_block(std::int64_t from, std::int64_t to) {
    from_ = from;
    to_ = to;
    std::swap(before_, kept_);
}

double* SmoothingRows::row(std::int64_t y, std::int64_t z) {
    if (y < 0 || y >= extent_[1] || z < 0 || z >= extent_[2]) return zeros_;
    if (y < from_) return before_ + (kKept * z + y - (from_ - kKept)) * stride_;
    if (y >= to_ - kKept) return kept_ + (kKept * z + y - (to_ - kKept)) * stride_;
    return first_ + (z % kPlanes * block_ + y - from_) * stride_;
}

void correct(const Correction& work, Faces& faces, SmoothingRows& rows) {
    const Triple& n = work.u.extent;
    const std::int64_t block = rows_in_cache(n);
    faces.start(n);
    rows.start(n);
    for (std::int64_t from = 0; from < n[1]; from += block) {
        const bool first = from == 0, last = from + block >= n[1];
        const std::int64_t to = last ? n[1] : from + block;
        rows.start_block(from, to);
        // Each stage trails the one before by a row and a plane: a residual reads u all around it, and
        // smoothing reads residuals all around and then changes u.
        const auto interpolate_plane = [&](std::int64_t z) {
            const std::int64_t begin = first ? -1 : from + 1, end = to + 1;
            for (std::int64_t y = begin; y < end; ++y)
                interpolate(work, y, z, row_ahead(work.u, y, z, begin, end, kRowsAhead));
        };
        const auto compute_plane = [&](std::int64_t z) {
            for (std::int64_t y = from; y < to; ++y) {
                const Neighbourhood u = {
                    {work.u.row(y - 1, z - 1), work.u.row(y, z - 1), work.u.row(y + 1, z - 1)},
                    {work.u.row(y - 1, z), work.u.row(y, z), work.u.row(y + 1, z)},
                    {work.u.row(y - 1, z + 1), work.u.row(y, z + 1), work.u.row(y + 1, z + 1)}};
                double* const r = rows.row(y, z);
                const Ahead ahead{work.u.row(y, z), row_ahead(work.v, y, z, from, to, kRowsAhead)};
                residual_row(u, work.v.row(y, z), r, n[0], ahead);
                faces.store_row(r, y, z);
            }
        };
        const auto smooth_plane = [&](std::int64_t z) {
            for (std::int64_t y = first ? 0 : from - 1; y < (last ? to : to - 1); ++y) {
                const Neighbourhood r = {
                    {rows.row(y - 1, z - 1), rows.row(y, z - 1), rows.row(y + 1, z - 1)},
                    {rows.row(y - 1, z), rows.row(y, z), rows.row(y + 1, z)},
                    {rows.row(y - 1, z + 1), rows.row(y, z + 1), rows.row(y + 1, z + 1)}};
                smooth_row(r, work.u.row(y, z), n[0], work.smoother);
            }
        };
        interpolate_plane(-1);
        interpolate_plane(0);
        for (std::int64_t z = 0; z < n[2]; ++z) {
            interpolate_plane(z + 1);
            compute_plane(z);
            if (z > 0) smooth_plane(z - 1);
        }
        smooth_plane(n[2] - 1);
    }
}

void smooth_from_ghosts(const Grid& u, const Faces& faces, const Stencil& smoother, const double* zeros) {
    const auto [nx, ny, nz] = u.extent;
    const double face = smoother[1], edge = smoother[2];
    // A row beside a plane of ghosts: `here` is the ghosts' row next to it, the others lie beside that one.
    const auto add_row = [&](double* to, const double* below, const double* here, const double* above) {
#pragma omp simd
        for (std::int64_t x = 0; x < nx; ++x)
            to[x] += face * here[x] + edge * (here[x - 1] + here[x + 1] + below[x] + above[x]);
    };
    for (const int direction : {kLower, kUpper}) {
        const bool lower = direction == kLower;
        const auto beyond_z = [&](std::int64_t y) { return faces.row_beyond_z(direction, y); };
        for (std::int64_t y = 0; y < ny; ++y)
            add_row(u.row(y, lower ? 0 : nz - 1), beyond_z(y - 1), beyond_z(y), beyond_z(y + 1));
        // Rows beyond z as well belong to the ghosts above.
        const auto beyond_y = [&](std::int64_t z) {
            return z < 0 || z >= nz ? zeros : faces.row_beyond_y(direction, z);
        };
        for (std::int64_t z = 0; z < nz; ++z)
            add_row(u.row(lower ? 0 : ny - 1, z), beyond_y(z - 1), beyond_y(z), beyond_y(z + 1));
        const double* const beyond_x = faces.beyond_x(direction);
        const auto ghost = [&](std::int64_t y, std::int64_t z) {
            return y < 0 || y >= ny || z < 0 || z >= nz ? 0.0 : beyond_x[z * ny + y];
        };
        for (std::int64_t z = 0; z < nz; ++z)
            for (std::int64_t y = 0; y < ny; ++y)
                u.row(y, z)[lower ? 0 : nx - 1] +=
                    face * ghost(y, z) +
                    edge * (ghost(y - 1, z) + ghost(y + 1, z) + ghost(y, z - 1) + ghost(y, z + 1));
    }
}

}  // namespace linkworth::npb::mg
