// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "../common/wide_vectors.hpp"
//
#include <cmath>
#include <numbers>

#include "radiation.hpp"

namespace linkworth::npb::stencil {
namespace {

constexpr double kStefanBoltzmann = 5.670374419e-8;  // W/(m^2 K^4), CODATA 2018
constexpr double kHeatCapacity = 1.2 * 1004.0;       // of air, J/(m^3 K)
constexpr double kSunlight = 900.0;                  // at noon, W/m^2
constexpr double kDay = 86400.0;
/// Absorption of a layer of air without water, as a mass of water: carbon dioxide and ozone.
constexpr double kDryAbsorber = 2e-4;
/// Absorption of a layer of the reference thickness for a unit of water, in the weakest and strongest band.
constexpr double kWeakest = 0.5, kStrongest = 2000.0;

}  // namespace

Radiation::Radiation(const Problem& problem, const Model& model, const Piece& piece, const State& state)
    : model_(model),
      nx_global_(problem.nx),
      x_(piece.x),
      nz_(static_cast<std::size_t>(state.nz())),
      bands_(static_cast<std::size_t>(problem.radiation_bands)),
      heating_(kTimeStep * problem.radiation_every / kHeatCapacity / model.kelvin),
      absorber_(nz_),
      planck_(nz_),
      passed_(nz_),
      upward_(nz_ + 1) {}

void Radiation::radiate(State& state, int iteration) {
    const double hour_angle = 2.0 * std::numbers::pi * std::fmod(iteration * kTimeStep / kDay, 1.0);
    const std::int64_t columns = state.nx() * state.ny();
    for (std::int64_t first = 0; first < columns; first += kColumns) {
        const std::int64_t count = std::min<std::int64_t>(kColumns, columns - first);
        load(state, first, count, hour_angle);
        for (std::size_t band = 0; band < bands_; ++band) add_band(band);
        heat(state, first, count);
    }
}

/// Short of columns, the last one fills the vectors.
void Radiation::load(const State& state, std::int64_t first, std::int64_t count, double hour_angle) {
    const std::size_t levels = state.levels();
    for (std::size_t i = 0; i < kColumns; ++i) {
        const std::int64_t index = first + std::min<std::int64_t>(static_cast<std::int64_t>(i), count - 1);
        const std::int64_t x = index % state.nx();
        const double* const column = state.column(index / state.nx(), x);
        const double longitude =
            2.0 * std::numbers::pi * static_cast<double>(x_.first + x) / static_cast<double>(nx_global_);
        // Points a day apart would be a whole turn; the domain spans a part of it.
        sun_[i] = kSunlight * std::max(0.0, std::cos(hour_angle + 0.2 * longitude));
        for (std::size_t k = 0; k < nz_; ++k) {
            const double h = column[kThickness * levels + k];
            const double temperature = model_.kelvin * column[kHeat * levels + k] / h;
            const double square = temperature * temperature;
            planck_[k][i] = kStefanBoltzmann * square * square;
            absorber_[k][i] = (column[kWater * levels + k] + kDryAbsorber * h) / model_.layer_depth;
        }
    }
    for (Row& row : upward_) row.fill(0.0);
}

/// All bands have the same part of the energy, and absorb from little to much in equal ratios.
void Radiation::add_band(std::size_t band) {
    const double part_of_band = 1.0 / static_cast<double>(bands_);
    const double absorption = kWeakest * std::pow(kStrongest / kWeakest, static_cast<double>(band) /
                                                                             static_cast<double>(bands_ - 1));
    Row flux;
    double* const passing = flux.data();
    double* const top = upward_[nz_].data();
    for (std::size_t i = 0; i < kColumns; ++i) {
        passing[i] = part_of_band * sun_[i];
        top[i] -= passing[i];
    }
    for (std::size_t k = nz_; k-- > 0;) {
        const double *const absorber = absorber_[k].data(), *const planck = planck_[k].data();
        double *const passed = passed_[k].data(), *const upward = upward_[k].data();
#pragma omp simd
        for (std::size_t i = 0; i < kColumns; ++i) {
            const double part = exponential(-absorption * absorber[i]);
            const double out = passing[i] * part + part_of_band * planck[i] * (1.0 - part);
            passed[i] = part;
            passing[i] = out;
            upward[i] -= out;
        }
    }
    constexpr double kGround = kStefanBoltzmann * kSurfaceTemperature * kSurfaceTemperature *
                               kSurfaceTemperature * kSurfaceTemperature;
    double* const ground = upward_[0].data();
    for (std::size_t i = 0; i < kColumns; ++i) {
        passing[i] = part_of_band * kGround;
        ground[i] += passing[i];
    }
    for (std::size_t k = 0; k < nz_; ++k) {
        const double *const planck = planck_[k].data(), *const passed = passed_[k].data();
        double* const upward = upward_[k + 1].data();
#pragma omp simd
        for (std::size_t i = 0; i < kColumns; ++i) {
            passing[i] = passing[i] * passed[i] + part_of_band * planck[i] * (1.0 - passed[i]);
            upward[i] += passing[i];
        }
    }
}

void Radiation::heat(State& state, std::int64_t first, std::int64_t count) {
    const std::size_t levels = state.levels();
    for (std::int64_t i = 0; i < count; ++i) {
        const auto lane = static_cast<std::size_t>(i);
        double* const heat =
            state.column((first + i) / state.nx(), (first + i) % state.nx()) + kHeat * levels;
        for (std::size_t k = 0; k < nz_; ++k) heat[k] += heating_ * (upward_[k][lane] - upward_[k + 1][lane]);
        gained_ += heating_ * (upward_[0][lane] - upward_[nz_][lane]);
    }
}

}  // namespace linkworth::npb::stencil
