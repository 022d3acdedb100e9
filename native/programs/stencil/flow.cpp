// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../common/wide_vectors.hpp"
//
#include <cmath>
#include <numeric>
#include <utility>

#include "flow.hpp"

namespace linkworth::npb::stencil {
namespace {

/// A column's thickness, velocities, buoyancy and water, and the pressure force and speed of gravity waves.
enum Primitive : std::size_t { kH, kU, kV, kB, kQ, kP, kC };

/// The mixing looks one layer beyond the ends of a field (times 0).
constexpr std::size_t kMargin = kLanes;

void primitives_of(const double* __restrict column, double* __restrict primitives, std::size_t levels) {
#pragma omp simd
    for (std::size_t k = 0; k < levels; ++k) {
        const double h = column[kThickness * levels + k];
        const double per_h = 1.0 / h;
        const double b = column[kHeat * levels + k] * per_h;
        primitives[kH * levels + k] = h;
        primitives[kU * levels + k] = column[kMomentumX * levels + k] * per_h;
        primitives[kV * levels + k] = column[kMomentumY * levels + k] * per_h;
        primitives[kB * levels + k] = b;
        primitives[kQ * levels + k] = column[kWater * levels + k] * per_h;
        primitives[kP * levels + k] = 0.5 * b * h * h;
        primitives[kC * levels + k] = std::sqrt(b * h);
    }
}

/// Flux of each field through the face between two columns. Mass and the momentum across the face use
/// Rusanov's formula. The other fields move with the mass, from its side, so that water stays positive and no
/// temperature leaves the range of its neighbours.
template <Primitive kNormal>
void face_flux(const double* __restrict low, const double* __restrict high, double* __restrict flux,
               std::size_t levels) {
    constexpr std::size_t kTangent = kNormal == kU ? kV : kU;
    constexpr std::size_t kNormalField = kNormal == kU ? kMomentumX : kMomentumY;
    constexpr std::size_t kTangentField = kNormal == kU ? kMomentumY : kMomentumX;
    constexpr double kExchange = 0.5 * kDiffusivity / kSpacing;
#pragma omp simd
    for (std::size_t k = 0; k < levels; ++k) {
        const double h0 = low[kH * levels + k], h1 = high[kH * levels + k];
        const double n0 = low[kNormal * levels + k], n1 = high[kNormal * levels + k];
        const double m0 = h0 * n0, m1 = h1 * n1;
        const double s0 = std::fabs(n0) + low[kC * levels + k], s1 = std::fabs(n1) + high[kC * levels + k];
        const double fastest = s0 > s1 ? s0 : s1;
        const double diffusion = kExchange * (h0 + h1);
        const double mass = 0.5 * ((m0 + m1) - fastest * (h1 - h0));
        flux[kThickness * levels + k] = mass;
        const double force = (m0 * n0 + low[kP * levels + k]) + (m1 * n1 + high[kP * levels + k]);
        flux[kNormalField * levels + k] = 0.5 * (force - fastest * (m1 - m0)) - diffusion * (n1 - n0);
        const bool forward = mass > 0.0;
        const double t0 = low[kTangent * levels + k], t1 = high[kTangent * levels + k];
        flux[kTangentField * levels + k] = mass * (forward ? t0 : t1) - diffusion * (t1 - t0);
        const double b0 = low[kB * levels + k], b1 = high[kB * levels + k];
        flux[kHeat * levels + k] = mass * (forward ? b0 : b1) - diffusion * (b1 - b0);
        const double q0 = low[kQ * levels + k], q1 = high[kQ * levels + k];
        flux[kWater * levels + k] = mass * (forward ? q0 : q1) - diffusion * (q1 - q0);
    }
}

}  // namespace

Flow::Flow(const Problem& problem, const Model& model, const State& state)
    : model_(model), levels_(state.levels()), nz_(problem.nz) {
    const auto width = static_cast<std::size_t>(std::min(kTile, state.nx()));
    primitives_ = HugeArray<double>(2 * (width + 2) * kPrimitives * levels_ + 2 * kMargin);
    std::fill_n(primitives_.data(), primitives_.size(), 0.0);
    y_fluxes_ = HugeArray<double>(2 * width * kFields * levels_);
    x_fluxes_ = HugeArray<double>(2 * kFields * levels_);
    if (state.nx() > kTile)
        edges_ = HugeArray<double>(static_cast<std::size_t>(state.ny()) * kFields * levels_);
    up_.assign(levels_, 0.0);
    down_.assign(levels_, 0.0);
    for (std::int64_t k = 0; k + 1 < nz_; ++k) up_[k] = down_[k + 1] = 0.5 * model.mixing;
    per_pascal_.assign(levels_, 1.0 / kSurfacePressure);
    for (std::int64_t k = 0; k < nz_; ++k) per_pascal_[k] = 1.0 / model.pressure(k);
    rain_.assign(levels_, 0.0);
}

double Flow::rain() const { return std::accumulate(rain_.begin(), rain_.end(), 0.0); }

void Flow::advance(State& state) {
    for (std::int64_t first = 0; first < state.nx(); first += kTile)
        advance_tile(state, first, std::min(first + kTile, state.nx()));
}

/// Primitives of columns [from, to) into a row that begins one column before `first`.
void Flow::primitives_of_row(const State& state, std::int64_t y, std::int64_t first, std::int64_t from,
                             std::int64_t to, double* row) const {
    for (std::int64_t x = from; x < to; ++x)
        primitives_of(state.column(y, x),
                      row + static_cast<std::size_t>(x - first + 1) * kPrimitives * levels_, levels_);
}

/// Goes through rows from south to north. A row is overwritten when the one to its north has been read, and
/// its own velocities are kept aside.
void Flow::advance_tile(State& state, std::int64_t first, std::int64_t last) {
    const std::size_t stride = kPrimitives * levels_, flux_size = kFields * levels_;
    const auto width = static_cast<std::size_t>(last - first);
    double* row = primitives_.data() + kMargin;
    double* next_row = row + (width + 2) * stride;
    double* south = y_fluxes_.data();
    double* north = south + width * flux_size;
    double* west = x_fluxes_.data();
    double* east = west + flux_size;
    // The column before a later tile is new already; its flux has been kept.
    const std::int64_t from = first == 0 ? -1 : first;
    const bool more = last < state.nx();

    primitives_of_row(state, -1, first, first, last, next_row);
    primitives_of_row(state, 0, first, from, last + 1, row);
    for (std::size_t i = 0; i < width; ++i)
        face_flux<kV>(next_row + (i + 1) * stride, row + (i + 1) * stride, south + i * flux_size, levels_);
    for (std::int64_t y = 0; y < state.ny(); ++y) {
        const bool halo = y + 1 == state.ny();
        primitives_of_row(state, y + 1, first, halo ? first : from, halo ? last : last + 1, next_row);
        double* const edge =
            edges_.data() + (more || first > 0 ? static_cast<std::size_t>(y) * flux_size : 0);
        if (first == 0)
            face_flux<kU>(row, row + stride, west, levels_);
        else
            std::copy_n(edge, flux_size, west);
        for (std::size_t i = 0; i < width; ++i) {
            const double* const here = row + (i + 1) * stride;
            face_flux<kU>(here, here + stride, east, levels_);
            face_flux<kV>(here, next_row + (i + 1) * stride, north + i * flux_size, levels_);
            update(state.column(y, first + static_cast<std::int64_t>(i)), here, west, east,
                   south + i * flux_size, north + i * flux_size);
            std::swap(west, east);
        }
        if (more) std::copy_n(west, flux_size, edge);
        std::swap(row, next_row);
        std::swap(south, north);
    }
}

void Flow::update(double* __restrict column, const double* __restrict primitives,
                  const double* __restrict west, const double* __restrict east,
                  const double* __restrict south, const double* __restrict north) {
    const double per_face = model_.time_step / kSpacing;
    const std::size_t levels = levels_;
    const double angle = kCoriolis * model_.time_step;
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const double kelvin = model_.kelvin, latent = kLatentHeating / kelvin;
    const double falls = model_.time_step / kRainTime;
    const double *const up = up_.data(), *const down = down_.data(), *const per_pascal = per_pascal_.data();
    double* const rain = rain_.data();
    const double *const h_ = primitives + kH * levels, *const u_ = primitives + kU * levels,
                        *const v_ = primitives + kV * levels, *const b_ = primitives + kB * levels,
                        *const q_ = primitives + kQ * levels;
#pragma omp simd
    for (std::size_t k = 0; k < levels; ++k) {
        const auto gained = [&](std::size_t field) {
            const std::size_t i = field * levels + k;
            return column[i] + per_face * ((west[i] - east[i]) + (south[i] - north[i]));
        };
        const double above = up[k] * (h_[k] + h_[k + 1]), below = down[k] * (h_[k] + *(h_ + k - 1));
        const auto mixed = [&](const double* value) {
            return above * (value[k + 1] - value[k]) - below * (value[k] - *(value + k - 1));
        };
        const double h = gained(kThickness);
        const double x = gained(kMomentumX) + mixed(u_), y = gained(kMomentumY) + mixed(v_);
        const double heat = gained(kHeat) + mixed(b_), water = gained(kWater) + mixed(q_);

        const double per_h = 1.0 / h;
        const double held = saturation_times_pressure(kelvin * heat * per_h) * per_pascal[k];
        const double excess = water - held * h;
        const double fall = excess > 0.0 ? falls * excess : 0.0;
        rain[k] += fall;
        column[kThickness * levels + k] = h;
        column[kMomentumX * levels + k] = cosine * x + sine * y;
        column[kMomentumY * levels + k] = cosine * y - sine * x;
        column[kHeat * levels + k] = heat + latent * fall;
        column[kWater * levels + k] = water - fall;
    }
}

}  // namespace linkworth::npb::stencil
