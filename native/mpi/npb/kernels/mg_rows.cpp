// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include <algorithm>
#include <cmath>

#include "../lane_shifts.hpp"
#include "mg_grid.hpp"
#include "mg_rows.hpp"

namespace linkworth::npb::mg {
namespace {

template <class V>
constexpr std::int64_t kStep = sizeof(V) / sizeof(double);

template <class V>
inline V load(const double* data) {
    return *reinterpret_cast<const V*>(data);
}
template <class V>
inline void store(double* data, const V& value) {
    *reinterpret_cast<V*>(data) = value;
}

/// Calls work with an element of the widest type that a row of this many points consists of.
template <class Work>
inline void with_lanes(std::int64_t count, Work&& work) {
    if (count % static_cast<std::int64_t>(kLanes) == 0)
        work(Lanes{});
    else
        work(double{});
}

/// Sums over the neighbours in the plane across x: the four beside the point, and the four diagonal ones.
template <class V>
struct Ring {
    V beside, diagonal;

    Ring(const Neighbourhood& rows, std::int64_t x)
        : beside(load<V>(rows[0][1] + x) + load<V>(rows[2][1] + x) + load<V>(rows[1][0] + x) +
                 load<V>(rows[1][2] + x)),
          diagonal(load<V>(rows[0][0] + x) + load<V>(rows[0][2] + x) + load<V>(rows[2][0] + x) +
                   load<V>(rows[2][2] + x)) {}
};

inline double absolute(double value) { return std::fabs(value); }
inline Lanes absolute(const Lanes& value) { return value < 0.0 ? -value : value; }
inline double larger(double a, double b) { return std::max(a, b); }
inline Lanes larger(const Lanes& a, const Lanes& b) { return a > b ? a : b; }

inline void gather_norm(Norm& norm, double squares, double largest) {
    norm = {norm.squares + squares, std::max(norm.largest, largest)};
}
inline void gather_norm(Norm& norm, const Lanes& squares, const Lanes& largest) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) gather_norm(norm, squares[lane], largest[lane]);
}

template <class V, bool with_norm>
inline void residual(const Neighbourhood& u, const double* v, double* r, std::int64_t count,
                     const Ahead& ahead, Norm& norm) {
    static_assert(kLaplacian[1] == 0.0, "neighbours across faces are left out");
    const double* const centre = u[1][1];
    V squares{}, largest{};
    Ring<V> before(u, -kStep<V>), here(u, 0);
    for (std::int64_t x = 0; x < count; x += kStep<V>) {
        __builtin_prefetch(ahead.u + x);
        __builtin_prefetch(ahead.v + x);
        const Ring<V> after(u, x + kStep<V>);
        const V edges = here.diagonal + left_neighbours(before.beside, here.beside) +
                        right_neighbours(here.beside, after.beside);
        const V corners =
            left_neighbours(before.diagonal, here.diagonal) + right_neighbours(here.diagonal, after.diagonal);
        const V value = load<V>(v + x) - kLaplacian[0] * load<V>(centre + x) - kLaplacian[2] * edges -
                        kLaplacian[3] * corners;
        store(r + x, value);
        if constexpr (with_norm) {
            squares += value * value;
            largest = larger(largest, absolute(value));
        }
        before = here;
        here = after;
    }
    if constexpr (with_norm) gather_norm(norm, squares, largest);
}

template <class V>
inline void smooth(const Neighbourhood& r, double* u, std::int64_t count, const Stencil& s) {
    const double* const centre = r[1][1];
    const double own = s[0], face = s[1], edge = s[2];
    V beside_before = Ring<V>(r, -kStep<V>).beside, centre_before = load<V>(centre - kStep<V>);
    Ring<V> here(r, 0);
    V centre_here = load<V>(centre);
    for (std::int64_t x = 0; x < count; x += kStep<V>) {
        const Ring<V> after(r, x + kStep<V>);
        const V centre_after = load<V>(centre + x + kStep<V>);
        const V faces = left_neighbours(centre_before, centre_here) +
                        right_neighbours(centre_here, centre_after) + here.beside;
        const V edges = here.diagonal + left_neighbours(beside_before, here.beside) +
                        right_neighbours(here.beside, after.beside);
        store(u + x, load<V>(u + x) + own * centre_here + face * faces + edge * edges);
        beside_before = here.beside;
        centre_before = centre_here;
        here = after;
        centre_here = centre_after;
    }
}

/// The mean of rows at one place.
template <class V, int rows>
inline V mean(const double* const* coarse, std::int64_t x) {
    V sum = load<V>(coarse[0] + x);
    for (int row = 1; row < rows; ++row) sum += load<V>(coarse[row] + x);
    return (1.0 / rows) * sum;
}

template <bool accumulate>
inline void put(double* u, double value) {
    *u = accumulate ? *u + value : value;
}

template <bool accumulate>
inline void put_pairs(double* u, const Lanes& even, const Lanes& odd) {
    Lanes low = low_alternating(even, odd), high = high_alternating(even, odd);
    if constexpr (accumulate) {
        low += load<Lanes>(u);
        high += load<Lanes>(u + kLanes);
    }
    store(u, low);
    store(u + kLanes, high);
}
template <bool accumulate>
inline void put_pairs(double* u, double even, double odd) {
    put<accumulate>(u, even);
    put<accumulate>(u + 1, odd);
}

template <class V, bool accumulate, int rows>
inline void interpolate(const double* const* coarse, double* u, std::int64_t count, const double* ahead) {
    V before = mean<V, rows>(coarse, -kStep<V>);
    for (std::int64_t x = 0; x < count; x += kStep<V>) {
        __builtin_prefetch(ahead + 2 * x, 1);
        __builtin_prefetch(ahead + 2 * x + kStep<V>, 1);
        const V here = mean<V, rows>(coarse, x);
        put_pairs<accumulate>(u + 2 * x, 0.5 * (left_neighbours(before, here) + here), here);
        before = here;
    }
    put<accumulate>(u - 1, mean<double, rows>(coarse, -1));
    put<accumulate>(u + 2 * count,
                    0.5 * (mean<double, rows>(coarse, count - 1) + mean<double, rows>(coarse, count)));
}

template <class V, bool accumulate>
inline void interpolate(const double* const* coarse, int rows, double* u, std::int64_t count,
                        const double* ahead) {
    if (rows == 1)
        interpolate<V, accumulate, 1>(coarse, u, count, ahead);
    else if (rows == 2)
        interpolate<V, accumulate, 2>(coarse, u, count, ahead);
    else
        interpolate<V, accumulate, 4>(coarse, u, count, ahead);
}

inline void halve(double, const double* r, double* halved, std::int64_t count) {
    for (std::int64_t x = 0; x < count / 2; ++x) halved[x] = r[2 * x + 1] + 0.5 * (r[2 * x] + r[2 * x + 2]);
}
inline void halve(const Lanes&, const double* r, double* halved, std::int64_t count) {
    constexpr auto step = static_cast<std::int64_t>(kLanes);
    Lanes low = load<Lanes>(r), high = load<Lanes>(r + step);
    Lanes even = even_elements(low, high);
    for (std::int64_t x = 0; x < count / 2; x += step) {
        const Lanes odd = odd_elements(low, high);
        low = load<Lanes>(r + 2 * (x + step));
        // The last vector holds the ghost only, and nothing beyond it may be read.
        high = x + step < count / 2 ? load<Lanes>(r + 2 * (x + step) + step) : low;
        const Lanes after = even_elements(low, high);
        store(halved + x, odd + 0.5 * (even + right_neighbours(even, after)));
        even = after;
    }
}

}  // namespace

void residual_row(const Neighbourhood& u, const double* v, double* r, std::int64_t count,
                  const Ahead& ahead) {
    Norm none{};
    with_lanes(count, [&](auto type) { residual<decltype(type), false>(u, v, r, count, ahead, none); });
}

void residual_row_and_norm(const Neighbourhood& u, const double* v, double* r, std::int64_t count,
                           const Ahead& ahead, Norm& norm) {
    with_lanes(count, [&](auto type) { residual<decltype(type), true>(u, v, r, count, ahead, norm); });
}

void smooth_row(const Neighbourhood& r, double* u, std::int64_t count, const Stencil& smoother) {
    with_lanes(count, [&](auto type) { smooth<decltype(type)>(r, u, count, smoother); });
}

void halve_row(const double* r, double* halved, std::int64_t count) {
    with_lanes(count / 2, [&](auto type) { halve(type, r, halved, count); });
}

void interpolate_row(const double* const* coarse, int rows, double* u, std::int64_t count, bool accumulate,
                     const double* ahead) {
    with_lanes(count, [&](auto type) {
        if (accumulate)
            interpolate<decltype(type), true>(coarse, rows, u, count, ahead);
        else
            interpolate<decltype(type), false>(coarse, rows, u, count, ahead);
    });
}

}  // namespace linkworth::npb::mg
