// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Holds MG's sweeps, which treat a periodic box in rows, blocks and faces, against the definition of each
// step as plain loops over points. Exit code 0 if all agree.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "kernels/mg_restriction.hpp"
#include "kernels/mg_rows.hpp"
#include "kernels/mg_smoothing.hpp"

namespace {

using namespace linkworth::npb::mg;

/// Points of a periodic box.
class Points {
  public:
    explicit Points(const Triple& extent)
        : extent(extent), values_(static_cast<std::size_t>(extent[0] * extent[1] * extent[2])) {}

    double& operator()(std::int64_t x, std::int64_t y, std::int64_t z) {
        const auto [nx, ny, nz] = extent;
        return values_[static_cast<std::size_t>(((z + nz) % nz * ny + (y + ny) % ny) * nx + (x + nx) % nx)];
    }
    template <class Work>
    void for_each(Work&& work) {
        for (std::int64_t z = 0; z < extent[2]; ++z)
            for (std::int64_t y = 0; y < extent[1]; ++y)
                for (std::int64_t x = 0; x < extent[0]; ++x) work(x, y, z);
    }

    Triple extent;

  private:
    std::vector<double> values_;
};

Points random_points(const Triple& extent, std::mt19937& generator) {
    std::uniform_real_distribution<double> distribution(-1.0, 1.0);
    Points points(extent);
    points.for_each([&](auto x, auto y, auto z) { points(x, y, z) = distribution(generator); });
    return points;
}

Points apply(const Stencil& stencil, Points& field) {
    Points result(field.extent);
    result.for_each([&](auto x, auto y, auto z) {
        double sum = 0.0;
        for (int dz = -1; dz <= 1; ++dz)
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    sum += stencil[static_cast<std::size_t>(std::abs(dx) + std::abs(dy) + std::abs(dz))] *
                           field(x + dx, y + dy, z + dz);
        result(x, y, z) = sum;
    });
    return result;
}

Points restricted(Points& fine) {
    Points filtered = apply({1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16}, fine);
    Points coarse({fine.extent[0] / 2, fine.extent[1] / 2, fine.extent[2] / 2});
    coarse.for_each(
        [&](auto x, auto y, auto z) { coarse(x, y, z) = filtered(2 * x + 1, 2 * y + 1, 2 * z + 1); });
    return coarse;
}

/// A fine point is the mean of the coarse ones that surround it: one or two along each axis.
Points interpolated(Points& coarse) {
    Points fine({2 * coarse.extent[0], 2 * coarse.extent[1], 2 * coarse.extent[2]});
    fine.for_each([&](auto x, auto y, auto z) {
        double sum = 0.0;
        for (int corner = 0; corner < 8; ++corner) {
            const auto source = [&](std::int64_t at, int bit) {
                return at % 2 == 1 ? at / 2 : at / 2 - (corner >> bit & 1);
            };
            sum += coarse(source(x, 0), source(y, 1), source(z, 2));
        }
        fine(x, y, z) = sum / 8.0;
    });
    return fine;
}

/// With ghosts.
void fill(const GhostedGrid& grid, Points& points) {
    const auto [nx, ny, nz] = points.extent;
    for (std::int64_t z = -1; z <= nz; ++z)
        for (std::int64_t y = -1; y <= ny; ++y)
            for (std::int64_t x = -1; x <= nx; ++x) grid.view().row(y, z)[x] = points(x, y, z);
}

bool agree(const char* what, const Grid& grid, Points& expected) {
    double worst = 0.0;
    expected.for_each([&](auto x, auto y, auto z) {
        const double error = std::fabs(grid.row(y, z)[x] - expected(x, y, z));
        if (!(error <= worst)) worst = error;
    });
    const bool good = worst < 1e-13;
    if (!good)
        std::printf("%s on %ld x %ld x %ld: off by %g\n", what, static_cast<long>(expected.extent[0]),
                    static_cast<long>(expected.extent[1]), static_cast<long>(expected.extent[2]), worst);
    return good;
}

bool check_ghosts(Points& points, GhostedGrid& grid) {
    GhostedGrid wrapped(points.extent);
    points.for_each([&](auto x, auto y, auto z) { wrapped.view().row(y, z)[x] = points(x, y, z); });
    wrap(wrapped.view());
    const auto [nx, ny, nz] = points.extent;
    for (std::int64_t z = -1; z <= nz; ++z)
        for (std::int64_t y = -1; y <= ny; ++y)
            for (std::int64_t x = -1; x <= nx; ++x)
                if (wrapped.view().row(y, z)[x] != grid.view().row(y, z)[x]) {
                    std::printf("ghosts are wrong\n");
                    return false;
                }
    return true;
}

bool check(const Triple& extent, const Stencil& smoother, bool accumulate, std::mt19937& generator) {
    const Class problem = kClasses[2];
    Faces faces(Layout(problem, 0, 1));
    SmoothingRows rows(extent);
    const Triple half{extent[0] / 2, extent[1] / 2, extent[2] / 2};
    Points u = random_points(extent, generator), v = random_points(extent, generator);
    Points below = random_points(half, generator);
    GhostedGrid u_grid(extent), v_grid(extent), below_grid(half), restricted_grid(half);
    fill(u_grid, u);
    fill(v_grid, v);
    fill(below_grid, below);
    bool good = check_ghosts(u, u_grid);

    rows.start(extent);
    restrict_grid(restricted_grid.view(), v_grid.view(), {false, false, false}, rows.row(0, 0));
    Points expected_below = restricted(v);
    good &= agree("restriction of a grid", restricted_grid.view(), expected_below);

    // The same row by row, the ghosts apart, over whatever was there before.
    fill(restricted_grid, below);
    faces.start(extent);
    rows.start(extent);
    for (std::int64_t z = 0; z < extent[2]; ++z)
        for (std::int64_t y = 0; y < extent[1]; ++y) {
            double* const copy = rows.row(0, 0);
            std::copy_n(v_grid.view().row(y, z), extent[0], copy);
            faces.store_row(copy, y, z);
            halve_row(copy, rows.scratch(), extent[0]);
            restrict_row(restricted_grid.view(), rows.scratch(), 0, half[0], y, z, false);
        }
    for (int axis = 0; axis < kAxes; ++axis) faces.wrap(axis);
    restrict_ghosts(restricted_grid.view(), faces, extent, rows.row(0, 0), rows.scratch());
    good &= agree("restriction by rows", restricted_grid.view(), expected_below);

    correct({u_grid.view(), v_grid.view(), below_grid.view(), {false, false, false}, accumulate, smoother},
            faces, rows);
    for (int axis = 0; axis < kAxes; ++axis) faces.wrap(axis);
    smooth_from_ghosts(u_grid.view(), faces, smoother, rows.row(-1, 0));
    Points moved = interpolated(below);
    u.for_each(
        [&](auto x, auto y, auto z) { u(x, y, z) = moved(x, y, z) + (accumulate ? u(x, y, z) : 0.0); });
    Points residual = apply(kLaplacian, u);
    u.for_each([&](auto x, auto y, auto z) { residual(x, y, z) = v(x, y, z) - residual(x, y, z); });
    Points smoothed = apply(smoother, residual);
    u.for_each([&](auto x, auto y, auto z) { u(x, y, z) += smoothed(x, y, z); });
    return agree(accumulate ? "correction that adds" : "correction that replaces", u_grid.view(), u) && good;
}

}  // namespace

int main() {
    std::mt19937 generator(20261122);
    bool good = true;
    // Rows shorter than a vector and longer; the last ones take more than one block of y.
    for (const Triple& extent :
         {Triple{2, 2, 2}, Triple{4, 2, 8}, Triple{8, 4, 2}, Triple{16, 8, 4}, Triple{32, 16, 8},
          Triple{64, 4, 4}, Triple{256, 64, 4}, Triple{256, 128, 2}}) {
        if (extent[0] == 256 && rows_in_cache(extent) >= extent[1]) {
            std::printf("one block holds all of y, so that blocks are not tested\n");
            good = false;
        }
        for (const bool accumulate : {true, false})
            for (const Stencil& smoother : {kSmootherA, kSmootherB})
                good &= check(extent, smoother, accumulate, generator);
    }
    return good ? 0 : 1;
}
