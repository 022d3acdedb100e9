// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include <algorithm>

#include "sp_sweeps.hpp"

namespace linkworth::npb::sp {
namespace {

constexpr int kWidth = static_cast<int>(kLanes);

inline Lanes load(const double* data) { return *reinterpret_cast<const Lanes*>(data); }

/// Speeds at point i of the lines whose first points are at `lines`; i may lie outside the cell.
Speeds speeds_beside(const flow::Field& state, const double* const (&lines)[kLanes], int i,
                     const StepFactors& factors) {
    Five u;
    for (int c = 0; c < 5; ++c)
        for (int lane = 0; lane < kWidth; ++lane) u[c][lane] = lines[lane][c * state.row_stride() + i];
    const Flow flow = flow_of(u);
    return speeds_of(flow, flow.u, factors);
}

}  // namespace

void eliminate_along_x(const flow::Field& state, const flow::Field& changes, int y, int z, int count,
                       const Extent& extent, const StepFactors& factors, LinesAlongX lines, Speeds* scratch) {
    const double *u[kLanes], *r[kLanes];
    for (int lane = 0; lane < kWidth; ++lane) {
        u[lane] = state.row(0, y + std::min(lane, count - 1), z);
        r[lane] = changes.row(0, y + std::min(lane, count - 1), z);
    }
    Speeds* const speeds = scratch + 1;
    for (int i = 0; i < extent.points; i += kWidth) {
        Lanes tile[8][kLanes];  // flow, sound, spread and the five changes, of kLanes lines
        for (int lane = 0; lane < kWidth; ++lane) {
            Five here, change;
            for (int c = 0; c < 5; ++c) {
                here[c] = load(u[lane] + c * state.row_stride() + i);
                change[c] = load(r[lane] + c * changes.row_stride() + i);
            }
            const Flow flow = flow_of(here);
            const Speeds own = speeds_of(flow, flow.u, factors);
            tile[0][lane] = own.flow;
            tile[1][lane] = own.sound;
            tile[2][lane] = own.spread;
            conserved_to_x(flow, change);
            for (int c = 0; c < 5; ++c) tile[3 + c][lane] = change[c];
        }
        for (auto& quantity : tile) transpose(quantity);
        for (int p = 0; p < kWidth; ++p) {
            speeds[i + p] = {tile[0][p], tile[1][p], tile[2][p]};
            for (int c = 0; c < 5; ++c) lines.value(i + p)[c] = tile[3 + c][p];
        }
    }
    const int first = extent.first(), last = extent.last();
    if (extent.starts)
        for (int p : {first - 2, first - 1}) {
            lines.row(p) = {};
            for (Lanes& value : lines.value(p)) value = Lanes{};
        }
    else
        speeds[-1] = speeds_beside(state, u, -1, factors);
    if (!extent.ends) speeds[extent.points] = speeds_beside(state, u, extent.points, factors);

    for (int p = first; p <= last; ++p) {
        lines.row(p) = eliminate(speeds[p - 1], speeds[p].spread, speeds[p + 1],
                                 middle_of(factors, extent.edge(p)), factors.fourth, lines.row(p - 2),
                                 lines.row(p - 1), lines.value(p - 2), lines.value(p - 1), lines.value(p));
    }
}

void substitute_along_x(LinesAlongX lines, const Extent& extent, flow::Field& changes, int y, int z,
                        int count) {
    const int first = extent.first(), last = extent.last();
    if (extent.ends)
        for (int p : {last + 1, last + 2})
            for (Lanes& value : lines.value(p)) value = Lanes{};
    for (int p = last; p >= first; --p)
        substitute(lines.row(p), lines.value(p + 1), lines.value(p + 2), lines.value(p));

    for (int i = 0; i < extent.points; i += kWidth) {
        for (int c = 0; c < 5; ++c) {
            Lanes tile[kLanes];
            for (int p = 0; p < kWidth; ++p) tile[p] = lines.value(i + p)[c];
            transpose(tile);
            double* const target = changes.row(c, y, z) + i;
            for (int lane = 0; lane < count; ++lane)
                *reinterpret_cast<Lanes*>(target + lane * changes.y_stride()) = tile[lane];
        }
    }
}

}  // namespace linkworth::npb::sp
