// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "right_hand_side.hpp"

#include <algorithm>

namespace linkworth::npb::flow {

Field derived_field(const std::array<int, 3>& size) { return {size, 1, 0.0, kDerived}; }

Points with_ghosts(const std::array<int, 3>& size) {
    return {{-1, -1, -1}, {size[0] + 1, size[1] + 1, size[2] + 1}};
}

void derive(const Field& u, Field& derived) {
    for_each_point(with_ghosts(u.size()), [&](int x, int y, int z) {
        const double* const state = u.at(x, y, z);
        const double inverse = 1.0 / state[0];
        double* const quantities = derived.at(x, y, z);
        quantities[kInverseDensity] = inverse;
        for (int d = 0; d < 3; ++d) quantities[kVelocity + d] = state[1 + d] * inverse;
        quantities[kKinetic] =
            0.5 * (state[1] * state[1] + state[2] * state[2] + state[3] * state[3]) * inverse;
    });
}

namespace {

/// Adds the second differences of diffusion, viscosity and heat, and takes away the first differences of
/// convection, along one axis.
void add_fluxes(int axis, const Points& inner, int points, const Field& u, const Field& derived,
                Field& result) {
    const Differences factors = differences(points);
    const double first = factors.first;
    const double diffusion = factors.second * kDiffusion[axis];
    const double viscosity = factors.second * kViscosity;
    const double heat = factors.second * kConduction;
    const auto second_difference = [](double low, double here, double high) {
        return high - 2.0 * here + low;
    };

    for_each_point(inner, [&](int x, int y, int z) {
        const double* const here = u.at(x, y, z);
        const double *const low = here - u.stride(axis), *const high = here + u.stride(axis);
        const double* const q = derived.at(x, y, z);
        const double *const q_low = q - derived.stride(axis), *const q_high = q + derived.stride(axis);
        const double velocity = q[kVelocity + axis];
        const double velocity_low = q_low[kVelocity + axis], velocity_high = q_high[kVelocity + axis];
        const double pressure_low = kPressure * (low[4] - q_low[kKinetic]);
        const double pressure_high = kPressure * (high[4] - q_high[kKinetic]);
        double* const sum = result.at(x, y, z);

        for (int m = 0; m < kComponents; ++m)
            sum[m] += diffusion * second_difference(low[m], here[m], high[m]);
        sum[0] -= first * (high[1 + axis] - low[1 + axis]);
        for (int d = 0; d < 3; ++d) {
            const double stress = d == axis ? 4.0 / 3.0 * viscosity : viscosity;
            sum[1 + d] +=
                stress * second_difference(q_low[kVelocity + d], q[kVelocity + d], q_high[kVelocity + d]);
            sum[1 + d] -= first * (high[1 + d] * velocity_high - low[1 + d] * velocity_low);
        }
        sum[1 + axis] -= first * (pressure_high - pressure_low);
        sum[4] += (viscosity - heat) * second_difference(q_low[kKinetic] * q_low[kInverseDensity],
                                                         q[kKinetic] * q[kInverseDensity],
                                                         q_high[kKinetic] * q_high[kInverseDensity]);
        sum[4] += viscosity / 6.0 *
                  second_difference(velocity_low * velocity_low, velocity * velocity,
                                    velocity_high * velocity_high);
        sum[4] += heat * second_difference(low[4] * q_low[kInverseDensity], here[4] * q[kInverseDensity],
                                           high[4] * q_high[kInverseDensity]);
        sum[4] -=
            first * ((high[4] + pressure_high) * velocity_high - (low[4] + pressure_low) * velocity_low);
    });
}

/// Takes away the fourth differences along one axis.
void add_dissipation(int axis, const Box& box, const Points& inner, int points, const Field& u,
                     Field& result) {
    const std::ptrdiff_t step = u.stride(axis);
    for_each_point(inner, [&](int x, int y, int z) {
        const auto weights = fourth_difference(box.first[axis] + std::array{x, y, z}[axis], points);
        const double* const here = u.at(x, y, z);
        double* const sum = result.at(x, y, z);
        for (int m = 0; m < kComponents; ++m)
            sum[m] -= kDissipation *
                      (weights[0] * here[m - 2 * step] + weights[1] * here[m - step] + weights[2] * here[m] +
                       weights[3] * here[m + step] + weights[4] * here[m + 2 * step]);
    });
}

}  // namespace

void find_right_hand_side(const Box& box, int points, const Field& u, const Field& derived,
                          const Field* forcing, double scale, Field& result) {
    const Points inner = inner_points(box, points);
    result.fill(0.0);
    if (forcing != nullptr)
        for_each_point(inner, [&](int x, int y, int z) {
            std::copy_n(forcing->at(x, y, z), kComponents, result.at(x, y, z));
        });
    for (int axis = 0; axis < 3; ++axis) {
        add_fluxes(axis, inner, points, u, derived, result);
        add_dissipation(axis, box, inner, points, u, result);
    }
    for_each_point(inner, [&](int x, int y, int z) {
        for (int m = 0; m < kComponents; ++m) result.at(x, y, z)[m] *= scale;
    });
}

}  // namespace linkworth::npb::flow
