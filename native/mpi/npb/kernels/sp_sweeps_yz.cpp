// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include "sp_sweeps.hpp"

namespace linkworth::npb::sp {
namespace {

constexpr int kWidth = static_cast<int>(kLanes);

/// Along y, a sheet is a plane. Along z, it is a row of every plane.
struct AlongY {
    template <class AnyField>
    static auto point(AnyField& field, int section, int p) {
        return field.row(0, p, section);
    }
    static Lanes velocity(const Flow& flow) { return flow.v; }
    static void turn(Five& r) { x_to_y(r); }
};
struct AlongZ {
    template <class AnyField>
    static auto point(AnyField& field, int section, int p) {
        return field.row(0, section, p);
    }
    static Lanes velocity(const Flow& flow) { return flow.w; }
    static void turn(Five& r) { y_to_z(r); }
};

inline void load(const double* data, std::ptrdiff_t component, Five& values) {
    for (int c = 0; c < 5; ++c) values[c] = *reinterpret_cast<const Lanes*>(data + c * component);
}
inline void store(double* data, std::ptrdiff_t component, const Five& values) {
    for (int c = 0; c < 5; ++c) *reinterpret_cast<Lanes*>(data + c * component) = values[c];
}

template <class Along>
inline Speeds speeds_at(const double* u, std::ptrdiff_t component, const StepFactors& factors) {
    Five here;
    load(u, component, here);
    const Flow flow = flow_of(here);
    return speeds_of(flow, Along::velocity(flow), factors);
}

template <class Along>
void eliminate_sheet(const flow::Field& state, flow::Field& changes, int section, const Extent& extent,
                     const StepFactors& factors, Sheet sheet, Speeds* scratch) {
    const std::ptrdiff_t u_component = state.row_stride(), component = changes.row_stride();
    const int first = extent.first(), last = extent.last(), vectors = changes.row_blocks();
    const double fourth = factors.fourth;
    const auto values = [&](int p) { return p < 0 ? sheet.before(p) : Along::point(changes, section, p); };

    Speeds *before = scratch, *here = scratch + vectors, *beyond = scratch + 2 * vectors;
    for (int v = 0; v < vectors; ++v) {
        before[v] =
            speeds_at<Along>(Along::point(state, section, first - 1) + v * kWidth, u_component, factors);
        here[v] = speeds_at<Along>(Along::point(state, section, first) + v * kWidth, u_component, factors);
    }
    if (extent.starts) sheet.start();

    for (int p = first; p <= last; ++p) {
        const double middle = middle_of(factors, extent.edge(p));
        const Row *const two_back = sheet.rows(p - 2), *const one_back = sheet.rows(p - 1);
        Row* const row = sheet.rows(p);
        const double* const u = Along::point(state, section, p + 1);
        const double *const values2 = values(p - 2), *const values1 = values(p - 1);
        double* const own = values(p);
        for (int v = 0; v < vectors; ++v) {
            beyond[v] = speeds_at<Along>(u + v * kWidth, u_component, factors);
            Five r2, r1, change;
            load(values2 + v * kWidth, component, r2);
            load(values1 + v * kWidth, component, r1);
            load(own + v * kWidth, component, change);
            Along::turn(change);
            row[v] = eliminate(before[v], here[v].spread, beyond[v], middle, fourth, two_back[v], one_back[v],
                               r2, r1, change);
            store(own + v * kWidth, component, change);
        }
        Speeds* const free = before;
        before = here;
        here = beyond;
        beyond = free;
    }
}

/// `take(p, v, x)` gets vector v of the solution at p.
template <class Along, class Take>
inline void substitute_sheet(flow::Field& changes, int section, const Extent& extent, Sheet sheet,
                             Take&& take) {
    const std::ptrdiff_t component = changes.row_stride();
    const int vectors = changes.row_blocks(), end = extent.points;
    const auto values = [&](int p) {
        return p >= end ? sheet.after(p - end) : Along::point(changes, section, p);
    };
    if (extent.ends) sheet.end();
    for (int p = extent.last(); p >= extent.first(); --p) {
        const Row* const row = sheet.rows(p);
        const double *const values1 = values(p + 1), *const values2 = values(p + 2);
        double* const own = values(p);
        for (int v = 0; v < vectors; ++v) {
            Five x1, x2, change;
            load(values1 + v * kWidth, component, x1);
            load(values2 + v * kWidth, component, x2);
            load(own + v * kWidth, component, change);
            substitute(row[v], x1, x2, change);
            store(own + v * kWidth, component, change);
            take(p, v, change);
        }
    }
}

}  // namespace

void eliminate_along_y(const flow::Field& state, flow::Field& changes, int z, const Extent& extent,
                       const StepFactors& factors, Sheet sheet, Speeds* scratch) {
    eliminate_sheet<AlongY>(state, changes, z, extent, factors, sheet, scratch);
}

void eliminate_along_z(const flow::Field& state, flow::Field& changes, int y, const Extent& extent,
                       const StepFactors& factors, Sheet sheet, Speeds* scratch) {
    eliminate_sheet<AlongZ>(state, changes, y, extent, factors, sheet, scratch);
}

void substitute_along_y(flow::Field& changes, int z, const Extent& extent, Sheet sheet) {
    substitute_sheet<AlongY>(changes, z, extent, sheet, [](int, int, const Five&) {});
}

void substitute_along_z(flow::Field& state, flow::Field& changes, int y, const Extent& extent, Sheet sheet) {
    const std::ptrdiff_t component = state.row_stride();
    const int points = state.size()[0];
    substitute_sheet<AlongZ>(changes, y, extent, sheet, [&](int p, int v, const Five& solved) {
        double* const own = AlongZ::point(state, y, p) + v * kWidth;
        Five here, change;
        load(own, component, here);
        for (int c = 0; c < 5; ++c) change[c] = solved[c];
        z_to_conserved(flow_of(here), here[0], change);
        const int valid = points - v * kWidth;
        if (valid >= kWidth) {
            for (int c = 0; c < 5; ++c) here[c] += change[c];
            return store(own, component, here);
        }
        // Beyond the points lie ghosts.
        for (int c = 0; c < 5; ++c)
            for (int lane = 0; lane < valid; ++lane) own[c * component + lane] += change[c][lane];
    });
}

}  // namespace linkworth::npb::sp
