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

void eliminate_along_x(const flow::Field& state, const flow::Field& changes, const Bundle& bundle,
                       const Extent& extent, const StepFactors& factors, Kept kept, Speeds* scratch) {
    const double *u[kLanes], *r[kLanes];
    for (int lane = 0; lane < kWidth; ++lane) {
        const int y = bundle.first + std::min(lane, bundle.count - 1);
        u[lane] = state.row(0, y, bundle.section);
        r[lane] = changes.row(0, y, bundle.section);
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
            if (i + p < extent.first()) continue;  // given, or the grid's end, which does not change
            for (int c = 0; c < 5; ++c) kept.at(i + p)->value[c] = tile[3 + c][p];
        }
    }
    if (!extent.starts) speeds[-1] = speeds_beside(state, u, -1, factors);
    if (!extent.ends) speeds[extent.points] = speeds_beside(state, u, extent.points, factors);
    for (int p = extent.first(); p <= extent.last(); ++p)
        *kept.at(p) =
            eliminate(speeds[p - 1], speeds[p].spread, speeds[p + 1], middle_of(factors, extent.edge(p)),
                      factors.fourth, *kept.at(p - 2), *kept.at(p - 1), kept.at(p)->value);
}

void substitute_along_x(Kept kept, const Bundle& bundle, const Extent& extent, flow::Field& changes) {
    for (int p = extent.last(); p >= extent.first(); --p)
        substitute(*kept.at(p + 1), *kept.at(p + 2), kept.at(p)->row, kept.at(p)->value);
    for (int i = 0; i < extent.points; i += kWidth) {
        for (int c = 0; c < 5; ++c) {
            Lanes tile[kLanes];
            for (int p = 0; p < kWidth; ++p) tile[p] = kept.at(i + p)->value[c];
            transpose(tile);
            double* const target = changes.row(c, bundle.first, bundle.section) + i;
            for (int lane = 0; lane < bundle.count; ++lane)
                *reinterpret_cast<Lanes*>(target + lane * changes.y_stride()) = tile[lane];
        }
    }
}

}  // namespace linkworth::npb::sp
