// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "physics.hpp"

#include <algorithm>
#include <cmath>

namespace linkworth::npb::stencil {
namespace {

constexpr double kGravity = 9.81;
constexpr double kMixingLength = 30.0;  ///< m
constexpr double kLeastShear = 1e-8;    ///< square of a velocity's gradient, 1/s^2
/// Richardson number above which a flow stays laminar.
constexpr double kCritical = 0.25;
/// The places of velocities, buoyancy and water among the fields that mix.
enum Mixed : std::size_t { kMixedU, kMixedV, kMixedB, kMixedQ };

}  // namespace

Physics::Physics(const Problem& problem, const Model& model)
    : model_(model),
      steps_(problem.physics_steps),
      time_step_(kTimeStep / std::max(1, problem.physics_steps)),
      nz_(static_cast<std::size_t>(problem.nz)),
      per_pascal_(nz_),
      thickness_(nz_),
      exchange_(nz_),
      ratio_(nz_) {
    for (std::size_t k = 0; k < nz_; ++k) per_pascal_[k] = 1.0 / model.pressure(static_cast<std::int64_t>(k));
    for (std::vector<double>& amount : amount_) amount.resize(nz_);
    for (std::vector<double>& value : value_) value.resize(nz_);
}

void Physics::mix(State& state) {
    const std::size_t levels = state.levels();
    for (std::int64_t y = 0; y < state.ny(); ++y)
        for (std::int64_t x = 0; x < state.nx(); ++x) {
            double* const column = state.column(y, x);
            load(column, levels);
            for (int step = 0; step < steps_; ++step) {
                find_exchange();
                diffuse();
            }
            for (std::size_t i = 0; i < kMixed; ++i)
                std::copy_n(amount_[i].data(), nz_, column + (kMomentumX + i) * levels);
        }
}

void Physics::load(const double* column, std::size_t levels) {
    std::copy_n(column + kThickness * levels, nz_, thickness_.data());
    for (std::size_t i = 0; i < kMixed; ++i) {
        std::copy_n(column + (kMomentumX + i) * levels, nz_, amount_[i].data());
        for (std::size_t k = 0; k < nz_; ++k) value_[i][k] = amount_[i][k] / thickness_[k];
    }
}

/// Uses the Richardson number of each face. Oversaturated air is lighter by the latent heat.
void Physics::find_exchange() {
    const double latent = kLatentHeating / model_.kelvin;
    double below = 0.0;
    for (std::size_t k = 0; k < nz_; ++k) {
        const double held = saturation_times_pressure(model_.kelvin * value_[kMixedB][k]) * per_pascal_[k];
        const double moist = value_[kMixedB][k] + latent * std::max(0.0, value_[kMixedQ][k] - held);
        if (k > 0) {
            const double distance = 0.5 * (thickness_[k - 1] + thickness_[k]);
            const double du = (value_[kMixedU][k] - value_[kMixedU][k - 1]) / distance;
            const double dv = (value_[kMixedV][k] - value_[kMixedV][k - 1]) / distance;
            const double shear = std::max(kLeastShear, du * du + dv * dv);
            const double richardson = kGravity * (moist - below) / (below * distance) / shear;
            const double calm = std::max(0.0, 1.0 - richardson / kCritical);
            const double factor =
                richardson < 0.0 ? std::sqrt(1.0 - 16.0 * std::max(-10.0, richardson)) : calm * calm;
            exchange_[k - 1] =
                time_step_ * kMixingLength * kMixingLength * std::sqrt(shear) * factor / distance;
        }
        below = moist;
    }
    exchange_[nz_ - 1] = 0.0;
}

/// Solves a tridiagonal system for the values at the end of the step (Thomas' algorithm), and moves the
/// resulting exchange between layers.
void Physics::diffuse() {
    double under = 0.0, pivot = 0.0;
    std::array<double, kMixed> before{};
    for (std::size_t k = 0; k < nz_; ++k) {
        pivot = 1.0 / (thickness_[k] + exchange_[k] + under * (1.0 - (k > 0 ? ratio_[k - 1] : 0.0)));
        ratio_[k] = exchange_[k] * pivot;
        for (std::size_t i = 0; i < kMixed; ++i) {
            before[i] = (amount_[i][k] + under * before[i]) * pivot;
            value_[i][k] = before[i];
        }
        under = exchange_[k];
    }
    for (std::size_t i = 0; i < kMixed; ++i) {
        for (std::size_t k = nz_ - 1; k-- > 0;) value_[i][k] += ratio_[k] * value_[i][k + 1];
        for (std::size_t k = 0; k + 1 < nz_; ++k) {
            const double up = exchange_[k] * (value_[i][k] - value_[i][k + 1]);
            amount_[i][k] -= up;
            amount_[i][k + 1] += up;
        }
        for (std::size_t k = 0; k < nz_; ++k) value_[i][k] = amount_[i][k] / thickness_[k];
    }
}

}  // namespace linkworth::npb::stencil
