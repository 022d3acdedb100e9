// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include <algorithm>
#include <cmath>
#include <utility>

#include "lanes.hpp"
#include "right_hand_side.hpp"

namespace linkworth::npb::flow {

namespace {

constexpr int kWidth = static_cast<int>(kLanes);
/// Velocities, pressure, and what diffuses of the energy apart from the square of the velocity along the
/// axis.
constexpr int kDerived = 5;
constexpr int kPressureRow = 3, kHeatRow = 4;
/// Of the second level cache, for the planes that are in use at a time.
constexpr std::ptrdiff_t kCacheBytes = 768 * 1024;

/// Factors of the values at -2, -1, +1, +2 along one axis.
struct Factors {
    Lanes below2, below1, above1, above2;
};

/// Where to find a point and its neighbours along one axis.
struct Stencil {
    const double* u;
    std::ptrdiff_t component, step;        ///< of u
    const double *below, *centre, *above;  ///< derived quantities
    std::ptrdiff_t quantity;               ///< of the derived
};

/// Adds the terms of one axis, except u's own value at the point.
template <int axis>
inline void add_axis(Lanes (&sum)[kComponents], const Stencil& at, const Factors& factors, double first,
                     double second) {
    constexpr double kAlong = 4.0 / 3.0;  // the viscous stress's factor along its own axis
    const Lanes velocity = load(at.centre + axis * at.quantity);
    const Lanes below = load(at.below + axis * at.quantity), above = load(at.above + axis * at.quantity);
    const Lanes flow_below = below * first, flow_above = above * first;
    const Lanes pressure_below = load(at.below + kPressureRow * at.quantity);
    const Lanes pressure_above = load(at.above + kPressureRow * at.quantity);
    const double viscous = kViscosity * second;
    for (int m = 0; m < kComponents; ++m) {
        const double* const u = at.u + m * at.component;
        const Lanes u_below = load(u - at.step), u_above = load(u + at.step);
        Lanes s = sum[m];
        s += factors.below2 * load(u - 2 * at.step);
        s += factors.below1 * u_below;
        s += factors.above1 * u_above;
        s += factors.above2 * load(u + 2 * at.step);
        if (m == 0) {
            const double* const momentum = at.u + (1 + axis) * at.component;
            s -= first * (load(momentum + at.step) - load(momentum - at.step));
        } else if (m < 4) {
            s -= u_above * flow_above - u_below * flow_below;
            const double* const v = at.centre + (m - 1) * at.quantity;
            const Lanes bend = load(at.below + (m - 1) * at.quantity) - 2.0 * load(v) +
                               load(at.above + (m - 1) * at.quantity);
            s += (m - 1 == axis ? kAlong * viscous : viscous) * bend;
            if (m - 1 == axis) s -= first * (pressure_above - pressure_below);
        } else {
            s -= (u_above + pressure_above) * flow_above - (u_below + pressure_below) * flow_below;
            const Lanes heat = load(at.below + kHeatRow * at.quantity) -
                               2.0 * load(at.centre + kHeatRow * at.quantity) +
                               load(at.above + kHeatRow * at.quantity);
            s += second * heat;
            s += (viscous / 6.0) * (below * below - 2.0 * (velocity * velocity) + above * above);
        }
        sum[m] = s;
    }
}

/// The indices along an axis of the box's points that are inside the grid: [first, second).
std::pair<int, int> inner_range(const Box& box, int axis, int points) {
    return {std::max(0, 1 - box.first[axis]), std::min(box.size[axis], points - 1 - box.first[axis])};
}

}  // namespace

RightHandSide::RightHandSide(int points) : points_(points) {
    for (int axis = 0; axis < 3; ++axis) {
        const double diffusion = kDiffusion[axis] * differences(points).second;
        factors_[axis].resize(points);
        for (int i = 1; i < points - 1; ++i) {
            auto& own = factors_[axis][i];
            own = fourth_difference(i, points);
            for (double& factor : own) factor *= -kDissipation;
            own[1] += diffusion;
            own[2] -= 2.0 * diffusion;
            own[3] += diffusion;
        }
    }
}

void RightHandSide::prepare_x(const Box& box, int blocks) {
    const auto length = static_cast<std::size_t>(blocks) * kLanes;
    if (x_factors_.size() < 5 * length) x_factors_ = HugeArray<double>(5 * length);
    for (std::size_t x = 0; x < length; ++x) {
        const bool inside = static_cast<int>(x) < box.size[0];
        for (int t = 0; t < 5; ++t)
            x_factors_[x / kLanes * 5 * kLanes + t * kLanes + x % kLanes] =
                inside ? factors_[0][box.first[0] + static_cast<int>(x)][t] : 0.0;
    }
}

void RightHandSide::operator()(const Box& box, const Field& u, const Field* forcing, double scale,
                               Field& result, Field* speed) {
    const int blocks = u.row_blocks();
    prepare_x(box, blocks);
    derived_stride_ = (blocks + 3) * kWidth;
    derived_row_ = derived_stride_ * kDerived;
    const auto [y_first, y_last] = inner_range(box, 1, points_);
    const auto [z_first, z_last] = inner_range(box, 2, points_);
    const int inner_rows = std::max(1, y_last - y_first);
    const std::ptrdiff_t row_bytes = (3 * derived_row_ + 5 * u.y_stride()) * std::ptrdiff_t{sizeof(double)};
    const int fitting = std::max<int>(4, static_cast<int>(kCacheBytes / row_bytes) - 4);
    const int strips = (inner_rows + fitting - 1) / fitting;
    const int height = (inner_rows + strips - 1) / strips;
    derived_rows_ = height + 2;
    const auto needed = static_cast<std::size_t>(3 * derived_rows_ * derived_row_);
    if (derived_.size() < needed) {
        derived_ = HugeArray<double>(needed);
        std::fill_n(derived_.data(), needed, 0.0);
    }

    const auto clear_row = [&](int y, int z) { std::fill_n(result.row(0, y, z), result.y_stride(), 0.0); };
    for (int z = 0; z < box.size[2]; ++z)
        for (int y = 0; y < box.size[1]; ++y)
            if (z < z_first || z >= z_last || y < y_first || y >= y_last) clear_row(y, z);

    for (int from = y_first; from < y_last; from += height) {
        const int to = std::min(y_last, from + height);
        for (int z = z_first - 1; z <= z_last; ++z) {
            derive_rows(box, u, z, from, to, speed);
            if (z <= z_first) continue;
            for (int y = from; y < to; ++y) finish_row(box, u, forcing, scale, result, y, z - 1, from);
        }
    }
}

void RightHandSide::derive_rows(const Box& box, const Field& u, int z, int y_first, int y_last,
                                Field* speed) {
    const int x_first = box.first[0] == 0 ? 0 : -1;
    const int x_last = box.first[0] + box.size[0] == points_ ? box.size[0] : box.size[0] + 1;
    for (int y = y_first - 1; y <= y_last; ++y) {
        double* const out = derived(z, y - y_first + 1) + kWidth;
        const double* const row = u.row(0, y, z);
        const std::ptrdiff_t component = u.row_stride();
        for (int x = x_first; x < x_last; x += kWidth) {
            const Lanes density = load(row + x), energy = load(row + 4 * component + x);
            const Lanes inverse = 1.0 / density;
            Lanes square{};  // of the velocity, halved
            for (int d = 0; d < 3; ++d) {
                const Lanes momentum = load(row + (1 + d) * component + x);
                const Lanes velocity = momentum * inverse;
                store(out + d * derived_stride_ + x, velocity);
                square += 0.5 * velocity * velocity;
            }
            const Lanes pressure = kPressure * (energy - square * density);
            store(out + kPressureRow * derived_stride_ + x, pressure);
            store(out + kHeatRow * derived_stride_ + x,
                  (kViscosity - kConduction) * square + kConduction * (energy * inverse));
            if (speed) {
                Lanes root;
                for (int lane = 0; lane < kWidth; ++lane)
                    root[lane] = std::sqrt(kHeatRatio * pressure[lane] * inverse[lane]);
                store_first(speed->row(0, y, z) + x, root, x_last - x);
            }
        }
    }
}

void RightHandSide::finish_row(const Box& box, const Field& u, const Field* forcing, double scale,
                               Field& result, int y, int z, int y_first) {
    const Differences difference = differences(points_);
    const auto& y_factors = factors_[1][box.first[1] + y];
    const auto& z_factors = factors_[2][box.first[2] + z];
    const double off_axis_centre = y_factors[2] + z_factors[2];
    const auto broadcast = [](const std::array<double, 5>& f) {
        return Factors{splat(f[0]), splat(f[1]), splat(f[3]), splat(f[4])};
    };
    const Factors along_y = broadcast(y_factors), along_z = broadcast(z_factors);

    const double* const row = u.row(0, y, z);
    const std::ptrdiff_t component = u.row_stride(), quantity = derived_stride_;
    const int at = y - y_first + 1;
    const double* const here = derived(z, at) + kWidth;
    const double* const below_y = derived(z, at - 1) + kWidth;
    const double* const above_y = derived(z, at + 1) + kWidth;
    const double* const below_z = derived(z - 1, at) + kWidth;
    const double* const above_z = derived(z + 1, at) + kWidth;
    double* const out = result.row(0, y, z);
    const double* const force = forcing ? forcing->row(0, y, z) : nullptr;
    const auto* const x_factors = reinterpret_cast<const Lanes*>(x_factors_.data());

    for (int x = 0; x < box.size[0]; x += kWidth) {
        const Lanes* const own = x_factors + x / kWidth * 5;
        const Factors along_x{own[0], own[1], own[3], own[4]};
        const Lanes centre = own[2] + off_axis_centre;
        Lanes sum[kComponents];
        for (int m = 0; m < kComponents; ++m) {
            sum[m] = centre * load(row + m * component + x);
            if (force) sum[m] += load(force + m * result.row_stride() + x);
        }
        const Stencil x_stencil{row + x, component, 1, here + x - 1, here + x, here + x + 1, quantity};
        const Stencil y_stencil{row + x,  component,   u.y_stride(), below_y + x,
                                here + x, above_y + x, quantity};
        const Stencil z_stencil{row + x,  component,   u.z_stride(), below_z + x,
                                here + x, above_z + x, quantity};
        add_axis<0>(sum, x_stencil, along_x, difference.first, difference.second);
        add_axis<1>(sum, y_stencil, along_y, difference.first, difference.second);
        add_axis<2>(sum, z_stencil, along_z, difference.first, difference.second);
        const auto inside = own[2] != 0.0;  // the boundary's and the padding's factors are zero
        for (int m = 0; m < kComponents; ++m)
            store(out + m * result.row_stride() + x, inside ? scale * sum[m] : Lanes{});
    }
}

}  // namespace linkworth::npb::flow
