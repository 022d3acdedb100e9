// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

/// Classes of SP: grid, time step and the norms that a right run ends with.
/// Source of every figure: reference constants of the NAS Parallel Benchmarks 3.4.3 (NASA, 2023), classes as
/// in RNR-94-007 and the later class reports; taken 2026-11-21.
namespace linkworth::npb::sp {

struct Class {
    char letter;
    std::int64_t points;  ///< of the grid in each direction
    int steps;
    double time_step;
    std::array<double, 5> residual;  ///< root mean square of each equation's residual after the last step
    std::array<double, 5> error;     ///< root mean square of each variable's distance from the exact solution
    double mega_operations;          ///< floating point operations of the timed region / 10^6
};

/// Largest relative error of each norm.
inline constexpr double kTolerance = 1e-8;

inline constexpr std::array kClasses{
    Class{'S',
          12,
          100,
          0.015,
          {0.02747031545133948, 0.010360746705285417, 0.016235745065095532, 0.015840557224455615,
           0.03484904060936246},
          {2.7289258557377225e-05, 1.0364446640837285e-05, 1.615479828716647e-05, 1.57507049944801e-05,
           3.417766618339053e-05},
          96.6727232},
    Class{
        'W',
        36,
        400,
        0.0015,
        {0.001893253733584, 0.0001717075447775, 0.0002778153350936, 0.0002887475409984, 0.003143611161242},
        {7.542088599534e-05, 6.512852253086e-06, 1.049092285688e-05, 1.128838671535e-05, 0.0001212845639773},
        14174.3505536},
    Class{'A',
          64,
          400,
          0.0015,
          {2.4799822399300195, 1.1276337964368832, 1.5028977888770492, 1.421781621169518, 2.129211303513828},
          {0.0001090014029782055, 3.734395176928209e-05, 5.009278540654163e-05, 4.767109393952825e-05,
           0.00013621613399213},
          85009.96691839998},
    Class{'B',
          102,
          400,
          0.001,
          {69.03293579998, 30.95134488084, 41.03336647017, 38.64769009604, 56.43482272596},
          {0.009810006190188, 0.00102282790567, 0.001720597911692, 0.001694479428231, 0.01847456263981},
          355011.8580608},
    Class{'C',
          162,
          400,
          0.00067,
          {588.1691581829, 245.4417603569, 329.3829191851, 308.1924971891, 459.7223799176},
          {0.2598120500183, 0.02590888922315, 0.0513288641632, 0.04806073419454, 0.5483377491301},
          1450101.0465727998},
    Class{'D',
          408,
          500,
          0.0003,
          {10446.96216887, 3204.427762578, 4648.680733032, 4238.923283697, 7588.412036136},
          {5.089471423669, 0.5323514855894, 1.187051008971, 1.083734951938, 11.64108338568},
          29535966.746824004},
    Class{'E',
          1020,
          500,
          0.0001,
          {62553.87422609, 14953.17020012, 23475.95750586, 20910.99783534, 47704.12841218},
          {67.42735164909, 5.390656036938, 16.80647196477, 15.36963126457, 157.5330146156},
          465123726.5728},
};

}  // namespace linkworth::npb::sp
