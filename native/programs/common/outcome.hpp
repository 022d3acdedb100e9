// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linkworth::npb {

/// One figure compared with its reference.
struct Check {
    std::string name;
    double value;
    double reference;
    double relative_error;
};

/// Seconds in one phase over the ranks; filled with --timers only.
struct PhaseTime {
    std::string_view name;
    double mean_seconds;
    double longest_seconds;
};

/// A figure of a run that is printed beside the checks.
struct Figure {
    std::string_view name;
    double value;
};

/// All printed results of a run. Complete on rank 0; the other ranks have what every rank knows.
struct Outcome {
    static constexpr char kNoClass = '\0';  ///< not one of the NAS Parallel Benchmarks

    std::string_view program;  ///< "ep"
    char letter = kNoClass;    ///< the class
    std::vector<std::int64_t> size;
    int iterations = 0;
    double seconds = 0.0;  ///< of the timed region
    int ranks = 0;
    double mega_operations = 0.0;
    std::string_view operation;
    double tolerance = 0.0;  ///< largest relative error of each check
    std::vector<Check> checks;
    std::vector<double> iteration_seconds;
    std::vector<PhaseTime> phases;
    std::vector<Figure> parameters;      ///< requested settings that no class implies
    std::vector<Figure> figures;         ///< results that have no reference
    std::int64_t peak_memory_bytes = 0;  ///< resident, of the largest rank; with --timers only
};

/// |value - reference| / |reference|.
double relative_error(double value, double reference);

/// True if there is at least one check and each error is at most the tolerance (a NaN is not).
bool verified(const Outcome& outcome);

}  // namespace linkworth::npb
