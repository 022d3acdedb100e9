// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

/// Classes of EP: problem sizes and the sums that a right run gives.
/// Source of every figure: reference constants of the NAS Parallel Benchmarks 3.4.3 (NASA, 2023), classes as
/// in RNR-94-007 and the later class reports; taken 2026-11-21.
namespace linkworth::npb::ep {

struct Class {
    char letter;
    int log2_pairs;
    double sum_x;            ///< sum of |X| over the Gaussian deviates
    double sum_y;            ///< sum of |Y| over the Gaussian deviates
    double gaussian_pairs;   ///< accepted pairs
    double mega_operations;  ///< random numbers generated / 10^6
};

/// Largest relative error of each of the three figures.
inline constexpr double kTolerance = 1e-8;

inline constexpr std::array kClasses{
    Class{'S', 24, 10512994.20395306, 10515171.31857535, 13176389.0, 33.554432},
    Class{'W', 25, 21025055.25182392, 21031622.09578822, 26354769.0, 67.108864},
    Class{'A', 28, 168223563.2304711, 168219512.3368299, 210832767.0, 536.870912},
    Class{'B', 30, 672892754.3423024, 672895182.2504275, 843345606.0, 2147.483648},
    Class{'C', 32, 2691444083.862931, 2691519118.724585, 3373275903.0, 8589.934592},
    Class{'D', 36, 43063502808.12112, 43063475718.59157, 53972171957.0, 137438.953472},
    Class{'E', 40, 689016966316.7274, 689016467068.8535, 863554308186.0, 2199023.255552},
};

}  // namespace linkworth::npb::ep
