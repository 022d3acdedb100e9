// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "mg_cycle.hpp"

#include "mg_restriction.hpp"
#include "mg_rows.hpp"

namespace linkworth::npb::mg {

namespace {

/// Calls work(point, number) for each point of a plane across an axis, ghosts included.
template <class Work>
void visit_plane(const Grid& grid, int axis, std::int64_t index, Work&& work) {
    Triple from{-1, -1, -1}, to = grid.extent;
    from[static_cast<std::size_t>(axis)] = to[static_cast<std::size_t>(axis)] = index;
    std::size_t i = 0;
    for (std::int64_t z = from[2]; z <= to[2]; ++z)
        for (std::int64_t y = from[1]; y <= to[1]; ++y)
            for (std::int64_t x = from[0]; x <= to[0]; ++x) work(grid.row(y, z)[x], i++);
}

}  // namespace

CycleKernel::CycleKernel(const Class& problem, const Layout& layout, int rank)
    : problem_(problem),
      layout_(layout),
      rank_(rank),
      finest_(layout.levels()),
      charges_(layout.extents(finest_)),
      faces_(layout),
      rows_(layout.extents(finest_)) {
    solutions_.resize(static_cast<std::size_t>(finest_) + 1);
    residuals_.resize(static_cast<std::size_t>(finest_));
    for (int level = 1; level <= finest_; ++level) {
        const Triple extent = layout.extents(level);
        solutions_[static_cast<std::size_t>(level)] = GhostedGrid(extent);
        if (level < finest_) residuals_[static_cast<std::size_t>(level)] = GhostedGrid(extent);
    }
}

void CycleKernel::start() {
    charges_.clear();
    solutions_.back().clear();
    search_.emplace(problem_, layout_, rank_);
}

void CycleKernel::put(Charge kind, const Place& place) {
    const auto& [rank, x, y, z] = place;
    if (rank == rank_) charges_.view().row(y, z)[x] = kind == Charge::positive ? 1.0 : -1.0;
}

Norm CycleKernel::residual(bool with_norm, bool with_restriction) {
    const Grid &u = solution(finest_), &v = charges_.view();
    const Triple& n = u.extent;
    const std::int64_t block = rows_in_cache(n);
    Norm norm{0.0, 0.0};
    faces_.start(n);
    rows_.start(n);
    double *const r = rows_.row(0, 0), *const halved = rows_.scratch();
    for (std::int64_t from = 0; from < n[1]; from += block)
        for (std::int64_t z = 0; z < n[2]; ++z)
            for (std::int64_t y = from; y < std::min(from + block, n[1]); ++y) {
                const Neighbourhood near = {{u.row(y - 1, z - 1), u.row(y, z - 1), u.row(y + 1, z - 1)},
                                            {u.row(y - 1, z), u.row(y, z), u.row(y + 1, z)},
                                            {u.row(y - 1, z + 1), u.row(y, z + 1), u.row(y + 1, z + 1)}};
                const std::int64_t to = std::min(from + block, n[1]);
                const Ahead ahead{row_ahead(u, y + 1, z + 1, from + 1, to + 1, kRowsAhead),
                                  row_ahead(v, y, z, from, to, kRowsAhead)};
                if (with_norm)
                    residual_row_and_norm(near, v.row(y, z), r, n[0], ahead, norm);
                else
                    residual_row(near, v.row(y, z), r, n[0], ahead);
                faces_.store_row(r, y, z);
                if (!with_restriction) continue;
                halve_row(r, halved, n[0]);
                restrict_row(restricted(finest_ - 1), halved, 0, n[0] / 2, y, z, false);
            }
    return norm;
}

void CycleKernel::finish_restriction() {
    const Triple& extent = solution(finest_).extent;
    rows_.start(extent);
    restrict_ghosts(restricted(finest_ - 1), faces_, extent, rows_.row(0, 0), rows_.scratch());
}

void CycleKernel::restrict_to_coarser(int level) {
    const Grid& fine = restricted(level);
    rows_.start(fine.extent);
    restrict_grid(restricted(level - 1), fine, odd(level), rows_.row(0, 0));
}

void CycleKernel::smooth_coarsest() {
    const Grid &u = solution(1), &r = restricted(1);
    for (std::int64_t z = 0; z < u.extent[2]; ++z)
        for (std::int64_t y = 0; y < u.extent[1]; ++y) {
            const Neighbourhood near = {{r.row(y - 1, z - 1), r.row(y, z - 1), r.row(y + 1, z - 1)},
                                        {r.row(y - 1, z), r.row(y, z), r.row(y + 1, z)},
                                        {r.row(y - 1, z + 1), r.row(y, z + 1), r.row(y + 1, z + 1)}};
            std::fill_n(u.row(y, z), u.extent[0], 0.0);
            smooth_row(near, u.row(y, z), u.extent[0], problem_.smoother);
        }
}

void CycleKernel::correct(int level) {
    const bool finest = level == finest_;
    const Correction work{solution(level),
                          finest ? charges_.view() : restricted(level),
                          solution(level - 1),
                          odd(level),
                          finest,
                          problem_.smoother};
    mg::correct(work, faces_, rows_);
}

void CycleKernel::finish_smoothing(int level) {
    smooth_from_ghosts(solution(level), faces_, problem_.smoother, rows_.row(-1, 0));
}

const double* CycleKernel::outgoing(Field field, int level, int axis, int direction) {
    if (ghosted(field)) {
        faces_.start(layout_.extents(level));
        faces_.pack(grid(field, level), axis, direction);
    } else if (field == Field::charges && axis == 0 && direction == kUpper) {
        faces_.start(layout_.extents(level));
        faces_.store(charges_.view());
    }
    return faces_.outgoing(axis, direction);
}

void CycleKernel::take(Field field, int level, int axis) {
    if (ghosted(field))
        faces_.unpack(grid(field, level), axis);
    else
        faces_.complete(axis);
}

void CycleKernel::wrap(Field field, int level) {
    if (ghosted(field)) return mg::wrap(grid(field, level));
    if (field == Field::charges) return;
    for (int axis = 0; axis < kAxes; ++axis) faces_.wrap(axis);
}

const double* CycleKernel::outgoing_plane(int level, int axis) {
    double* const buffer = faces_.outgoing(axis, kUpper);
    visit_plane(solution(level), axis, 0, [&](double& point, std::size_t i) { buffer[i] = point; });
    return buffer;
}

void CycleKernel::take_planes(int level, int axis) {
    for (const int direction : {kLower, kUpper}) {
        const double* const buffer = faces_.incoming(axis, direction);
        visit_plane(solution(level), axis, direction == kLower ? -1 : 0,
                    [&](double& point, std::size_t i) { point = buffer[i]; });
    }
}

}  // namespace linkworth::npb::mg
