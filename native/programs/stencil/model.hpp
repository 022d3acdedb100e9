// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "exponential.hpp"
#include "stencil.hpp"

/// Equations of the stencil program: each layer is a thermal rotating shallow water layer with moisture
/// (Ripa, On improving a one-layer ocean model with thermodynamics, J. Fluid Mech. 303, 1995; Kurganov, Liu
/// and Zeitlin, Moist-convective thermal rotating shallow water model, Phys. Fluids 32, 2020), coupled to the
/// layers above and below by mixing and radiation. Lengths in m, times in s, temperatures in K.
namespace linkworth::npb::stencil {

inline constexpr double kTimeStep = 75.0;    ///< of an iteration
inline constexpr double kSpacing = 12500.0;  ///< of points in x and y
inline constexpr double kCoriolis = 1e-4;    ///< per second: middle latitudes
inline constexpr double kDomainHeight = 12000.0;
inline constexpr double kDiffusivity = 1e4;          ///< horizontal, m^2/s
inline constexpr double kVerticalDiffusivity = 5.0;  ///< m^2/s
inline constexpr double kSurfaceTemperature = 300.0;
inline constexpr double kSurfacePressure = 1e5;   ///< Pa
inline constexpr double kScaleHeight = 8000.0;    ///< of pressure
inline constexpr double kRainTime = 600.0;        ///< in which an excess of water falls by a factor e
inline constexpr double kLatentHeating = 2490.0;  ///< K for a unit of water: 2.5e6 J/kg / 1004 J/(kg K)

/// Constants that follow from the number of layers.
struct Model {
    explicit Model(const Problem& problem)
        : time_step(kTimeStep / problem.dynamics_steps),
          layer_depth(kDomainHeight / static_cast<double>(problem.nz)),
          // Gravity waves of 40 m/s, as of the atmosphere's first internal modes, in each layer.
          buoyancy(1600.0 / layer_depth),
          kelvin(kSurfaceTemperature / buoyancy),
          // The explicit scheme is stable up to 1/2.
          mixing(std::min(0.2, kVerticalDiffusivity * time_step / (layer_depth * layer_depth))) {}

    double pressure(std::int64_t layer) const {
        return kSurfacePressure * std::exp(-(static_cast<double>(layer) + 0.5) * layer_depth / kScaleHeight);
    }

    double time_step;  ///< of the flow
    double layer_depth;
    double buoyancy;  ///< at the surface temperature, m/s^2
    double kelvin;    ///< of a unit of buoyancy
    double mixing;    ///< part of a difference between layers that a time step exchanges
};

/// Returns the water capacity of air at `temperature`, times the pressure in Pa (Bolton, The computation of
/// equivalent potential temperature, Mon. Weather Rev. 108, 1980, eq. 10; 0.622 is the ratio of the gas
/// constants).
inline double saturation_times_pressure(double temperature) {
    const double celsius = temperature - 273.15;
    return 0.622 * 611.2 * exponential(17.67 * celsius / (celsius + 243.5));
}

}  // namespace linkworth::npb::stencil
