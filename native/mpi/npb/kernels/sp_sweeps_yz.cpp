// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include "sp_sweeps.hpp"

namespace linkworth::npb::sp {
namespace {

constexpr int kWidth = static_cast<int>(kLanes);

struct AlongY {
    template <class AnyField>
    static auto point(AnyField& field, const Bundle& bundle, int p) {
        return field.row(0, p, bundle.section) + bundle.first * kWidth;
    }
    static Lanes velocity(const Flow& flow) { return flow.v; }
    static void turn(Five& r) { x_to_y(r); }
};
struct AlongZ {
    template <class AnyField>
    static auto point(AnyField& field, const Bundle& bundle, int p) {
        return field.row(0, bundle.section, p) + bundle.first * kWidth;
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
void eliminate_vectors(const flow::Field& state, const flow::Field& changes, const Bundle& bundle,
                       const Extent& extent, const StepFactors& factors, Kept kept, Speeds* scratch) {
    const std::ptrdiff_t u_component = state.row_stride(), component = changes.row_stride();
    const int first = extent.first(), last = extent.last(), vectors = bundle.count;
    Speeds *before = scratch, *here = scratch + vectors, *beyond = scratch + 2 * vectors;
    for (int v = 0; v < vectors; ++v) {
        const int x = v * kWidth;
        before[v] = speeds_at<Along>(Along::point(state, bundle, first - 1) + x, u_component, factors);
        here[v] = speeds_at<Along>(Along::point(state, bundle, first) + x, u_component, factors);
    }
    for (int p = first; p <= last; ++p) {
        const double middle = middle_of(factors, extent.edge(p));
        const Points *const two_back = kept.at(p - 2), *const one_back = kept.at(p - 1);
        Points* const own = kept.at(p);
        const double* const u = Along::point(state, bundle, p + 1);
        const double* const r = Along::point(changes, bundle, p);
        for (int v = 0; v < vectors; ++v) {
            beyond[v] = speeds_at<Along>(u + v * kWidth, u_component, factors);
            Five change;
            load(r + v * kWidth, component, change);
            Along::turn(change);
            own[v] = eliminate(before[v], here[v].spread, beyond[v], middle, factors.fourth, two_back[v],
                               one_back[v], change);
        }
        Speeds* const free = before;
        before = here;
        here = beyond;
        beyond = free;
    }
}

/// `take(p, v, x)` gets vector v of the solution at p, and may change its copy.
template <class Take>
inline void substitute_vectors(Kept kept, const Extent& extent, Take&& take) {
    for (int p = extent.last(); p >= extent.first(); --p) {
        const Points *const one_on = kept.at(p + 1), *const two_on = kept.at(p + 2);
        Points* const own = kept.at(p);
        for (int v = 0; v < kept.width(); ++v) {
            Five change;
            for (int c = 0; c < 5; ++c) change[c] = own[v].value[c];
            substitute(one_on[v], two_on[v], own[v].row, change);
            for (int c = 0; c < 5; ++c) own[v].value[c] = change[c];
            take(p, v, change);
        }
    }
}

}  // namespace

void eliminate_along_y(const flow::Field& state, const flow::Field& changes, const Bundle& bundle,
                       const Extent& extent, const StepFactors& factors, Kept kept, Speeds* scratch) {
    eliminate_vectors<AlongY>(state, changes, bundle, extent, factors, kept, scratch);
}

void eliminate_along_z(const flow::Field& state, const flow::Field& changes, const Bundle& bundle,
                       const Extent& extent, const StepFactors& factors, Kept kept, Speeds* scratch) {
    eliminate_vectors<AlongZ>(state, changes, bundle, extent, factors, kept, scratch);
}

void substitute_along_y(Kept kept, const Bundle& bundle, const Extent& extent, flow::Field& changes) {
    substitute_vectors(kept, extent, [&](int p, int v, const Five& solved) {
        store(AlongY::point(changes, bundle, p) + v * kWidth, changes.row_stride(), solved);
    });
}

void substitute_along_z(Kept kept, const Bundle& bundle, const Extent& extent, flow::Field& state) {
    const std::ptrdiff_t component = state.row_stride();
    substitute_vectors(kept, extent, [&](int p, int v, Five& change) {
        double* const own = AlongZ::point(state, bundle, p) + v * kWidth;
        Five here;
        load(own, component, here);
        z_to_conserved(flow_of(here), here[0], change);
        const int points = state.size()[0] - (bundle.first + v) * kWidth;
        if (points >= kWidth) {
            for (int c = 0; c < 5; ++c) here[c] += change[c];
            return store(own, component, here);
        }
        // Beyond the points lie ghosts.
        for (int c = 0; c < 5; ++c)
            for (int lane = 0; lane < points; ++lane) own[c * component + lane] += change[c][lane];
    });
}

}  // namespace linkworth::npb::sp
