// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "cycle.hpp"

#include <cmath>

namespace linkworth::npb::mg {
namespace {

/// Values of one row of a box, ghosts included.
class Line {
  public:
    explicit Line(std::int64_t extent) : values_(static_cast<std::size_t>(extent + 2)) {}
    /// Pointer to point 0.
    double* data() { return values_.data() + 1; }

  private:
    std::vector<double> values_;
};

/// Adds up the neighbours of each point of row (y, z) that share its x: the four across faces and the four
/// across edges.
void sum_neighbours(const Grid& grid, std::int64_t y, std::int64_t z, double* __restrict faces,
                    double* __restrict edges) {
    const double *north = grid.row(y + 1, z), *south = grid.row(y - 1, z);
    const double *above = grid.row(y, z + 1), *below = grid.row(y, z - 1);
    const double *north_above = grid.row(y + 1, z + 1), *south_above = grid.row(y - 1, z + 1);
    const double *north_below = grid.row(y + 1, z - 1), *south_below = grid.row(y - 1, z - 1);
    for (std::int64_t x = -1; x <= grid.extent()[0]; ++x) {
        faces[x] = south[x] + north[x] + below[x] + above[x];
        edges[x] = south_below[x] + north_below[x] + south_above[x] + north_above[x];
    }
}

/// result = v - A u. `v` may be `result`.
void subtract_laplacian(const Grid& u, const Grid& v, Grid& result) {
    static_assert(kLaplacian[1] == 0.0);
    const auto [a0, a1, a2, a3] = kLaplacian;
    const auto [nx, ny, nz] = u.extent();
    Line faces_line(nx), edges_line(nx);
    double *const faces = faces_line.data(), *const edges = edges_line.data();
    for (std::int64_t z = 0; z < nz; ++z)
        for (std::int64_t y = 0; y < ny; ++y) {
            sum_neighbours(u, y, z, faces, edges);
            const double *const from = v.row(y, z), *const centre = u.row(y, z);
            double* const to = result.row(y, z);
            for (std::int64_t x = 0; x < nx; ++x)
                to[x] = from[x] - a0 * centre[x] - a2 * (edges[x] + faces[x - 1] + faces[x + 1]) -
                        a3 * (edges[x - 1] + edges[x + 1]);
        }
}

/// u += S r.
void add_smoothed(const Grid& r, const Stencil& smoother, Grid& u) {
    const auto [c0, c1, c2, c3] = smoother;  // c3 is 0 in every class
    const auto [nx, ny, nz] = u.extent();
    Line faces_line(nx), edges_line(nx);
    double *const faces = faces_line.data(), *const edges = edges_line.data();
    for (std::int64_t z = 0; z < nz; ++z)
        for (std::int64_t y = 0; y < ny; ++y) {
            sum_neighbours(r, y, z, faces, edges);
            const double* const centre = r.row(y, z);
            double* const to = u.row(y, z);
            for (std::int64_t x = 0; x < nx; ++x)
                to[x] += c0 * centre[x] + c1 * (centre[x - 1] + centre[x + 1] + faces[x]) +
                         c2 * (edges[x] + faces[x - 1] + faces[x + 1]);
        }
}

/// Along each axis, point J of a coarse box is point 2 J + 1 - odd of the fine one.
using Odd = std::array<std::int64_t, kAxes>;

Odd odd_of(const Layout& layout, int level) {
    return {layout.starts_odd(level, 0), layout.starts_odd(level, 1), layout.starts_odd(level, 2)};
}

/// coarse = P fine: each coarse point becomes the weighted mean of the 27 fine ones around it.
void restrict_grid(const Grid& fine, const Odd& odd, Grid& coarse) {
    const auto [nx, ny, nz] = coarse.extent();
    Line faces_line(fine.extent()[0]), edges_line(fine.extent()[0]);
    double *const faces = faces_line.data(), *const edges = edges_line.data();
    for (std::int64_t Z = 0; Z < nz; ++Z)
        for (std::int64_t Y = 0; Y < ny; ++Y) {
            const std::int64_t y = 2 * Y + 1 - odd[1], z = 2 * Z + 1 - odd[2];
            sum_neighbours(fine, y, z, faces, edges);
            const double* const centre = fine.row(y, z);
            double* const to = coarse.row(Y, Z);
            for (std::int64_t X = 0; X < nx; ++X) {
                const std::int64_t x = 2 * X + 1 - odd[0];
                to[X] = 0.5 * centre[x] + 0.25 * (centre[x - 1] + centre[x + 1] + faces[x]) +
                        0.125 * (faces[x - 1] + faces[x + 1] + edges[x]) +
                        0.0625 * (edges[x - 1] + edges[x + 1]);
            }
        }
}

/// fine += Q coarse, by trilinear interpolation, ghosts included.
void add_interpolated(const Grid& coarse, const Odd& odd, Grid& fine) {
    const std::int64_t nx = coarse.extent()[0];
    Line mean_line(nx);
    double* const mean = mean_line.data();
    // A fine index is on a coarse one, or between two.
    struct Between {
        std::int64_t lower, upper;
        Between(std::int64_t fine, std::int64_t odd)
            : lower((fine + 1 + odd) / 2 - 1), upper((fine + 2 + odd) / 2 - 1) {}
    };
    for (std::int64_t z = -1; z <= fine.extent()[2]; ++z)
        for (std::int64_t y = -1; y <= fine.extent()[1]; ++y) {
            const Between at_y(y, odd[1]), at_z(z, odd[2]);
            const double* const lower_lower = coarse.row(at_y.lower, at_z.lower);
            const double* const upper_lower = coarse.row(at_y.upper, at_z.lower);
            const double* const lower_upper = coarse.row(at_y.lower, at_z.upper);
            const double* const upper_upper = coarse.row(at_y.upper, at_z.upper);
            for (std::int64_t X = -1; X <= nx; ++X)
                mean[X] = 0.25 * (lower_lower[X] + upper_lower[X] + lower_upper[X] + upper_upper[X]);
            double* const to = fine.row(y, z);
            for (std::int64_t x = -1; x <= fine.extent()[0]; ++x) {
                const Between at_x(x, odd[0]);
                to[x] += 0.5 * (mean[at_x.lower] + mean[at_x.upper]);
            }
        }
}

/// Index of the first or last point.
std::int64_t edge(std::int64_t extent, int direction) { return direction == kLower ? 0 : extent - 1; }
/// Index of the ghost beyond it.
std::int64_t beyond(std::int64_t extent, int direction) { return direction == kLower ? -1 : extent; }

/// Calls work(point) for each point of a plane across an axis. Along the axes before `complete` the plane
/// includes ghosts.
template <class Work>
void visit_plane(Grid& grid, int axis, std::int64_t index, int complete, Work&& work) {
    Triple from{}, to = grid.extent();
    for (int along = 0; along < complete; ++along) {
        --from[static_cast<std::size_t>(along)];
        ++to[static_cast<std::size_t>(along)];
    }
    from[static_cast<std::size_t>(axis)] = index;
    to[static_cast<std::size_t>(axis)] = index + 1;
    for (std::int64_t z = from[2]; z < to[2]; ++z)
        for (std::int64_t y = from[1]; y < to[1]; ++y)
            for (std::int64_t x = from[0]; x < to[0]; ++x) work(grid.row(y, z)[x]);
}

void pack(Grid& grid, int axis, std::int64_t index, int complete, std::vector<double>& buffer) {
    double* to = buffer.data();
    visit_plane(grid, axis, index, complete, [&](double point) { *to++ = point; });
}

void unpack(Grid& grid, int axis, std::int64_t index, int complete, const std::vector<double>& buffer) {
    const double* from = buffer.data();
    visit_plane(grid, axis, index, complete, [&](double& point) { point = *from++; });
}

}  // namespace

CycleKernel::CycleKernel(const Class& problem, const Layout& layout, int rank)
    : problem_(problem),
      layout_(layout),
      rank_(rank),
      charges_(layout.extents(layout.levels())),
      solutions_(1),
      residuals_(1),
      outgoing_(layout.receive_size() / 2) {
    for (int level = 1; level <= layout.levels(); ++level) {
        solutions_.emplace_back(layout.extents(level));
        residuals_.emplace_back(layout.extents(level));
    }
    for (std::vector<double>& buffer : incoming_) buffer.resize(layout.receive_size());
}

void CycleKernel::start() {
    charges_.clear();
    solutions_.back().clear();
    search_.emplace(problem_, layout_, rank_);
}

void CycleKernel::put(Charge kind, const Place& place) {
    const auto& [rank, x, y, z] = place;
    if (rank == rank_) charges_.row(y, z)[x] = kind == Charge::positive ? 1.0 : -1.0;
}

void CycleKernel::residual(int level) {
    Grid& r = residuals(level);
    subtract_laplacian(solution(level), level == layout_.levels() ? charges_ : r, r);
}

Norm CycleKernel::norm() const {
    const Grid& r = residuals_.back();
    const auto [nx, ny, nz] = r.extent();
    Norm norm{0.0, 0.0};
    for (std::int64_t z = 0; z < nz; ++z)
        for (std::int64_t y = 0; y < ny; ++y) {
            const double* const row = r.row(y, z);
            for (std::int64_t x = 0; x < nx; ++x) {
                norm.squares += row[x] * row[x];
                norm.largest = std::max(norm.largest, std::fabs(row[x]));
            }
        }
    return norm;
}

void CycleKernel::restrict_residual(int level) {
    restrict_grid(residuals(level), odd_of(layout_, level), residuals(level - 1));
}

void CycleKernel::interpolate(int level) {
    add_interpolated(solution(level - 1), odd_of(layout_, level), solution(level));
}

void CycleKernel::smooth(int level) { add_smoothed(residuals(level), problem_.smoother, solution(level)); }

const double* CycleKernel::outgoing(Field field, int level, int axis, int direction) {
    Grid& of = grid(field, level);
    pack(of, axis, edge(of.extent()[static_cast<std::size_t>(axis)], direction), axis, outgoing_);
    return outgoing_.data();
}

void CycleKernel::take(Field field, int level, int axis) {
    Grid& of = grid(field, level);
    for (const int direction : {kLower, kUpper})
        unpack(of, axis, beyond(of.extent()[static_cast<std::size_t>(axis)], direction), axis,
               incoming_[direction]);
}

void CycleKernel::wrap(Field field, int level) {
    Grid& of = grid(field, level);
    for (int axis = 0; axis < kAxes; ++axis)
        for (const int direction : {kLower, kUpper}) {
            const std::int64_t extent = of.extent()[static_cast<std::size_t>(axis)];
            pack(of, axis, edge(extent, 1 - direction), axis, outgoing_);
            unpack(of, axis, beyond(extent, direction), axis, outgoing_);
        }
}

const double* CycleKernel::outgoing_plane(int level, int axis) {
    pack(solution(level), axis, 0, kAxes, outgoing_);
    return outgoing_.data();
}

void CycleKernel::take_planes(int level, int axis) {
    for (const int direction : {kLower, kUpper})
        unpack(solution(level), axis, direction == kLower ? -1 : 0, kAxes, incoming_[direction]);
}

}  // namespace linkworth::npb::mg
