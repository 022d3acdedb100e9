// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

/// Classes of LU: problem sizes and the norms and the surface integral that a right run ends with.
/// Source of every figure: reference constants of the NAS Parallel Benchmarks 3.4.3 (NASA, 2023), classes as
/// in RNR-94-007 and the later class reports; taken 2026-11-21.
namespace linkworth::npb::lu {

struct Class {
    char letter;
    int points;      ///< of the grid along each axis, boundary included
    int iterations;  ///< time steps
    double time_step;
    std::array<double, 5> residuals;  ///< root mean squares of the right-hand side
    std::array<double, 5> errors;     ///< root mean squares of the distance to the exact solution
    double surface_integral;
    double mega_operations;  ///< floating point operations of the timed region / 10^6
};

/// Largest relative error of each figure.
inline constexpr double kTolerance = 1e-8;
/// Factor of the successive over-relaxation.
inline constexpr double kRelaxation = 1.2;
/// Residuals below which the specification lets a run stop early; none of the classes gets there.
inline constexpr std::array<double, 5> kConvergence{1e-8, 1e-8, 1e-8, 1e-8, 1e-8};

inline constexpr std::array kClasses{
    Class{'S',
          12,
          50,
          0.5,
          {0.016196343210976703, 0.002197674516482132, 0.0015179927653399185, 0.0015029584435994323,
           0.03426407315589646},
          {0.0006422331995796092, 8.414434204734792e-05, 5.8588269616485187e-05, 5.847422259515735e-05,
           0.0013103347914111294},
          7.841892886593708,
          102.298408},
    Class{'W',
          33,
          300,
          0.0015,
          {12.36511638192, 1.317228477799, 2.550120713095, 2.326187750252, 28.26799444189},
          {0.4867877144216, 0.05064652880982, 0.0928181810196, 0.08570126542733, 1.084277417792},
          11.61399311023,
          18061.090646999997},
    Class{'A',
          64,
          250,
          2.0,
          {779.0210760668937, 63.40276525969287, 194.9924972729248, 178.45301160418538, 1838.4760349464248},
          {29.964085685471943, 2.819457636500335, 7.347341269877474, 6.713922568777705, 70.71531568839258},
          26.030925604886278,
          119296.75942},
    Class{'B',
          102,
          250,
          2.0,
          {3553.2672969982737, 262.1475079531069, 883.3372185095219, 778.1277473942527, 7308.796959254531},
          {114.01176380212709, 8.109896365542157, 28.480597317698308, 25.90539456783294, 260.54907504857414},
          47.88716270330823,
          498824.10269},
    Class{'C',
          162,
          250,
          2.0,
          {10376.698032353785, 892.2124588010086, 2562.3881458266087, 2191.9434385783143, 17807.80572610612},
          {215.98639971694928, 15.57895592398636, 54.13188630772078, 48.22626431540454, 455.90291004325036},
          66.64045535721813,
          2038997.25479},
    Class{'D',
          408,
          300,
          1.0,
          {48684.17937025, 4696.371050071, 12181.14549776, 10338.01493461, 71423.98413817},
          {375.2393004482, 30.84128893659, 94.34276905469, 82.30686681928, 700.262063621},
          83.34101392503,
          39897928.093272},
    Class{'E',
          1020,
          300,
          0.5,
          {209964.1687874, 21304.03143165, 53192.28789371, 45097.61639833, 293236.000659},
          {480.0572578333, 42.21993400184, 121.0851906824, 104.788898677, 836.3028257389},
          95.12163272273,
          628475214.9444},
};

}  // namespace linkworth::npb::lu
