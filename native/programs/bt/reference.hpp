// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "../flow/model.hpp"

/// Classes of BT: grids, time steps and the norms that a right run gives.
/// Source of every figure: reference constants of the NAS Parallel Benchmarks 3.4.3 (NASA, 2023), classes as
/// in RNR-94-007 and the later class reports; taken 2026-11-21.
namespace linkworth::npb::bt {

struct Class {
    char letter;
    int points;  ///< of the grid along each axis
    int iterations;
    double time_step;
    flow::State residual;    ///< root mean squares of the right-hand side's components
    flow::State error;       ///< root mean squares of the distance to the exact solution
    double mega_operations;  ///< floating point operations of the timed region / 10^6
};

/// Largest relative error of each norm.
inline constexpr double kTolerance = 1e-8;

inline constexpr std::array kClasses{
    Class{'S',
          12,
          60,
          0.01,
          {{0.17034283709541312, 0.012975252070034096, 0.032527926989486054, 0.0264364212751668,
            0.1921178413174443}},
          {{0.0004997691334581158, 4.519566678296193e-05, 7.397376517292135e-05, 7.382123863243973e-05,
            0.0008926963098749145}},
          228.3138},
    Class{'W',
          24,
          200,
          0.0008,
          {{112.5590409344, 11.80007595731, 27.10329767846, 24.69174937669, 263.8427874317}},
          {{4.419655736008, 0.4638531260002, 1.011551749967, 0.9235878729944, 10.18045837718}},
          7718.763359999999},
    Class{
        'A',
        64,
        200,
        0.0008,
        {{108.06346714637264, 11.319730901220813, 25.974354511582465, 23.66562254467891, 252.78963211748345}},
        {{4.2348416040525025, 0.443902824969957, 0.9669248013634565, 0.8830206303976548, 9.737990177082928}},
        168284.46335999997},
    Class{
        'B',
        102,
        200,
        0.0003,
        {{1423.3597229287254, 99.33052259015024, 356.46025644535285, 324.8544795908409, 3270.7541254659363}},
        {{52.96984714093686, 4.463289611567067, 13.122573342210174, 12.006925323559145, 124.59576151035986}},
        702179.781},
    Class{
        'C',
        162,
        200,
        0.0001,
        {{6239.8116551764615, 507.93239190423964, 1542.3530093013596, 1330.238792929119, 11604.087428436455}},
        {{164.62008369091265, 11.497107903824313, 41.20744620746151, 37.08765105969417, 362.11053051841265}},
        2866279.8510000003},
    Class{'D',
          408,
          250,
          2e-05,
          {{25331.88551738, 2346.39371698, 6294.554366904, 5352.56537603, 39058.64038618}},
          {{310.0009377557, 24.24086324913, 77.82212022645, 68.35623860116, 606.5737200368}},
          58335785.052600004},
    Class{'E',
          1020,
          250,
          4e-06,
          {{97953.72484517, 9739.814511521, 24676.06342965, 20924.1957286, 139213.8856939}},
          {{432.7562208414, 36.99051964887, 108.9845040954, 94.62517622043, 776.5512765309}},
          918347496.0735},
};

}  // namespace linkworth::npb::bt
