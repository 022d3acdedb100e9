// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

/// Classes of MG: grid sizes, iterations, smoother and the residual's norm that a right run gives.
/// Source of every figure: reference constants of the NAS Parallel Benchmarks 3.4.3 (NASA, 2023), classes as
/// in RNR-94-007 and the later class reports; taken 2026-11-21.
namespace linkworth::npb::mg {

/// Weights of a symmetric 27-point stencil: of the point itself, the 6 neighbours across its faces, the 12
/// across its edges and the 8 across its corners.
using Stencil = std::array<double, 4>;

/// The discrete Laplacian A.
inline constexpr Stencil kLaplacian{-8.0 / 3.0, 0.0, 1.0 / 6.0, 1.0 / 12.0};
/// The smoothers S(a), of the small classes, and S(b).
inline constexpr Stencil kSmootherA{-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0};
inline constexpr Stencil kSmootherB{-3.0 / 17.0, 1.0 / 33.0, -1.0 / 61.0, 0.0};

struct Class {
    char letter;
    int levels;  ///< the finest grid has 2^levels points a dimension, the coarsest 2
    int iterations;
    Stencil smoother;
    double residual_norm;    ///< L2 norm of the last residual, divided by the root of the number of points
    double mega_operations;  ///< floating point operations of the timed region / 10^6

    std::int64_t points_per_side() const { return std::int64_t{1} << levels; }
};

/// Largest relative error of the norm.
inline constexpr double kTolerance = 1e-8;
/// Points of charge +1, and as many of charge -1.
inline constexpr int kCharges = 10;

inline constexpr std::array kClasses{
    Class{'S', 5, 4, kSmootherA, 5.307707005734e-05, 7.602176},
    Class{'W', 7, 4, kSmootherA, 6.467329375339e-06, 486.539264},
    Class{'A', 8, 4, kSmootherA, 2.433365309069e-06, 3892.314112},
    Class{'B', 8, 20, kSmootherB, 1.800564401355e-06, 19461.57056},
    Class{'C', 9, 20, kSmootherB, 5.70673228574e-07, 155692.56448},
    Class{'D', 10, 50, kSmootherB, 1.58327506044e-10, 3113851.2896},
    Class{'E', 11, 50, kSmootherB, 5.630442584711e-11, 24910810.3168},
};

}  // namespace linkworth::npb::mg
