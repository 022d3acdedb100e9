// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

/// Classes of CG: problem sizes and the eigenvalue shift estimate that a right run gives.
/// Source of every figure: reference constants of the NAS Parallel Benchmarks 3.4.3 (NASA, 2023), classes as
/// in RNR-94-007 and the later class reports; taken 2026-11-21.
namespace linkworth::npb::cg {

struct Class {
    char letter;
    std::int64_t order;       ///< rows of the matrix
    int nonzeros_per_vector;  ///< of the sparse vectors whose outer products make the matrix
    int iterations;           ///< outer iterations
    double shift;             ///< of the main diagonal
    double zeta;              ///< reference value of the last iteration
    double mega_operations;   ///< floating point operations of the timed region / 10^6
};

/// Largest relative error of zeta.
inline constexpr double kTolerance = 1e-10;
/// Conjugate gradient steps of one outer iteration.
inline constexpr int kInnerIterations = 25;
/// Reciprocal of the matrix's condition number.
inline constexpr double kReciprocalCondition = 0.1;

inline constexpr std::array kClasses{
    Class{'S', 1400, 7, 15, 10.0, 8.5971775078648, 66.654},
    Class{'W', 7000, 8, 15, 12.0, 10.362595087124, 420.63},
    Class{'A', 14000, 11, 15, 20.0, 17.130235054029, 1496.46},
    Class{'B', 75000, 13, 75, 60.0, 22.712745482631, 54708.74999999999},
    Class{'C', 150000, 15, 75, 110.0, 28.973605592845, 143347.49999999997},
    Class{'D', 1500000, 21, 100, 500.0, 52.514532105794, 3642900.0},
    Class{'E', 9000000, 26, 100, 1500.0, 77.522164599383, 33089399.999999996},
};

}  // namespace linkworth::npb::cg
