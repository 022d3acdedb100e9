// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../wide_vectors.hpp"
//
#include "lu_pencil.hpp"

namespace linkworth::npb::lu {
namespace {

/// Factors of the differences that are the same everywhere.
struct Constants {
    double first;            ///< of first differences
    double viscosity, heat;  ///< of second differences
};

/// What a point adds to the right-hand side of a neighbour along the axis, apart from multiples of its state:
/// `first` is signed, minus where the point is above its neighbour.
template <int axis>
inline void add_fluxes(Lanes (&sum)[kComponents], const Lanes (&u)[kComponents], const Lanes& inverse_density,
                       double first, const Constants& c) {
    const Lanes velocity[3] = {u[1] * inverse_density, u[2] * inverse_density, u[3] * inverse_density};
    const Lanes kinetic = 0.5 * (u[1] * velocity[0] + u[2] * velocity[1] + u[3] * velocity[2]);
    const Lanes pressure = flow::kPressure * (u[4] - kinetic);
    const Lanes flow = first * velocity[axis];
    sum[0] += first * u[1 + axis];
    for (int m = 0; m < 3; ++m) {
        sum[1 + m] += flow * u[1 + m];
        sum[1 + m] += (m == axis ? c.viscosity * (4.0 / 3.0) : c.viscosity) * velocity[m];
    }
    sum[1 + axis] += first * pressure;
    sum[4] += flow * (u[4] + pressure);
    sum[4] += inverse_density * ((c.viscosity - c.heat) * kinetic + c.heat * u[4]);
    sum[4] += (c.viscosity / 6.0 * velocity[axis]) * velocity[axis];
}

/// What a point's own velocities and temperature add, for all three axes.
inline void add_centre(Lanes (&sum)[kComponents], const Lanes (&u)[kComponents], const Lanes& inverse_density,
                       const Constants& c) {
    Lanes square{};
    for (int m = 0; m < 3; ++m) {
        const Lanes velocity = u[1 + m] * inverse_density;
        sum[1 + m] -= (2.0 * (1.0 + 1.0 + 4.0 / 3.0) * c.viscosity) * velocity;
        square += velocity * velocity;
    }
    sum[4] -= (3.0 * (c.viscosity - c.heat) + 2.0 / 6.0 * c.viscosity) * square;
    sum[4] -= (6.0 * c.heat) * (u[4] * inverse_density);
}

}  // namespace

const Lanes* PencilKernel::inverse_densities(int plane, int block) const {
    const std::ptrdiff_t slot = std::ptrdiff_t{skew_.blocks() + 2} * skew_.steps();
    return reinterpret_cast<const Lanes*>(inverse_densities_.data()) + plane % 3 * slot +
           std::ptrdiff_t{block + 1} * skew_.steps();
}

/// Of the planes, three are kept.
void PencilKernel::invert_densities(int plane) {
    const Lanes* const density = reinterpret_cast<const Lanes*>(u_.data()) + plane * skew_.plane_stride();
    Lanes* const inverse = const_cast<Lanes*>(inverse_densities(plane, 0));
    const int count = skew_.blocks() * skew_.steps();
    for (int i = 0; i < count; ++i) inverse[i] = 1.0 / density[i * kComponents];
}

void PencilKernel::right_hand_side(int plane) {
    if (plane == 1) {
        invert_densities(0);
        invert_densities(1);
    }
    invert_densities(plane + 1);

    const flow::Differences difference = flow::differences(skew_.points());
    const Constants c{difference.first, flow::kViscosity * difference.second,
                      flow::kConduction * difference.second};
    const double first = difference.first;
    const std::array<double, 5> z = stencil_.along_z(plane);
    const std::ptrdiff_t to_block = skew_.block_stride(), to_plane = skew_.plane_stride();
    constexpr std::ptrdiff_t step = kComponents, around = step * kWidth;

    for (int block = 0; block < skew_.inner_blocks(); ++block) {
        const Lanes* const y = stencil_.along_y(block);
        const Lanes* at = u(plane, block);
        const int stored_block = block + skew_.first_block();
        const Lanes* inverse = inverse_densities(plane, stored_block) + flow::kReach;
        const Lanes* inverse_below = inverse_densities(plane - 1, stored_block) + flow::kReach;
        const Lanes* inverse_above = inverse_densities(plane + 1, stored_block) + flow::kReach;
        const std::ptrdiff_t inverse_block = skew_.steps();
        const Lanes* force = inner(forcing_, skew_.inner_vector(plane, block));
        Lanes* result = inner(r_, skew_.inner_vector(plane, block));
        for (int s = 0; s < skew_.inner_steps();
             ++s, at += step, ++inverse, ++inverse_below, ++inverse_above, force += step, result += step) {
            const Lanes* const x = stencil_.along_x(s);
            const Lanes centre = x[2] + y[2] + z[2];
            Lanes sum[kComponents], near[kComponents];

            for (int m = 0; m < kComponents; ++m) near[m] = at[m];
            for (int m = 0; m < kComponents; ++m) sum[m] = force[m] + centre * near[m];
            add_centre(sum, near, inverse[0], c);

            for (int m = 0; m < kComponents; ++m) sum[m] += x[0] * at[m - 2 * step] + x[4] * at[m + 2 * step];
            for (int m = 0; m < kComponents; ++m) near[m] = at[m - step];
            for (int m = 0; m < kComponents; ++m) sum[m] += x[1] * near[m];
            add_fluxes<0>(sum, near, inverse[-1], first, c);
            for (int m = 0; m < kComponents; ++m) near[m] = at[m + step];
            for (int m = 0; m < kComponents; ++m) sum[m] += x[3] * near[m];
            add_fluxes<0>(sum, near, inverse[1], -first, c);

            const Lanes* const lower_row = at - to_block + around;  // of this lane in the block before
            const Lanes* const higher_row = at + to_block - around;
            for (int m = 0; m < kComponents; ++m)
                sum[m] += y[0] * window<kWidth - 2>(lower_row[m - 2 * step], at[m - 2 * step]) +
                          y[4] * window<2>(at[m + 2 * step], higher_row[m + 2 * step]);
            for (int m = 0; m < kComponents; ++m)
                near[m] = window<kWidth - 1>(lower_row[m - step], at[m - step]);
            for (int m = 0; m < kComponents; ++m) sum[m] += y[1] * near[m];
            add_fluxes<1>(sum, near, window<kWidth - 1>(inverse[-inverse_block + kWidth - 1], inverse[-1]),
                          first, c);
            for (int m = 0; m < kComponents; ++m) near[m] = window<1>(at[m + step], higher_row[m + step]);
            for (int m = 0; m < kComponents; ++m) sum[m] += y[3] * near[m];
            add_fluxes<1>(sum, near, window<1>(inverse[1], inverse[inverse_block - kWidth + 1]), -first, c);

            // Next to the boundary the second plane away does not exist; its factor is zero.
            const Lanes* const far_below = plane > 1 ? at - 2 * to_plane : at - to_plane;
            const Lanes* const far_above = plane < skew_.points() - 2 ? at + 2 * to_plane : at + to_plane;
            for (int m = 0; m < kComponents; ++m) sum[m] += z[0] * far_below[m] + z[4] * far_above[m];
            for (int m = 0; m < kComponents; ++m) near[m] = at[m - to_plane];
            for (int m = 0; m < kComponents; ++m) sum[m] += z[1] * near[m];
            add_fluxes<2>(sum, near, inverse_below[0], first, c);
            for (int m = 0; m < kComponents; ++m) near[m] = at[m + to_plane];
            for (int m = 0; m < kComponents; ++m) sum[m] += z[3] * near[m];
            add_fluxes<2>(sum, near, inverse_above[0], -first, c);

            for (int m = 0; m < kComponents; ++m) result[m] = sum[m];
        }
    }
}

/// Taken with no forcing, the right-hand side is the difference operator of u.
void PencilKernel::take_forcing() {
    for (std::size_t i = 0; i < r_.size(); ++i) forcing_[i] = -r_[i];
}

}  // namespace linkworth::npb::lu
