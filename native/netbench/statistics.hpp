// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace linkworth::netbench {

/// Statistics of a size's samples; times in seconds.
struct Summary {
    std::size_t samples = 0;
    double mean = 0.0;
    double median = 0.0;
    double deviation = 0.0;  ///< standard deviation of one sample; 0 for one sample
    double minimum = 0.0;
    double p99 = 0.0;  ///< nearest rank
    double half_width =
        0.0;  ///< of the mean's 95 % confidence interval, relative to the mean; infinite for one sample
    std::size_t outliers = 0;  ///< further than 3 scaled median absolute deviations from the median
    double drift = 0.0;        ///< change from the mean of the first quarter to that of the last, relative
    bool drift_is_significant = false;  ///< by linear regression
};

/// Throws std::invalid_argument for no samples. Samples are in the order in which they were taken.
///
/// Neighbouring samples are alike (a busy core slows many in a row), so that the interval of independent
/// samples would be too narrow. With 40 samples or more, both the interval and the regression use the means
/// of 20 groups of consecutive ones (method of batch means: Law, Simulation Modeling and Analysis, 5th ed.
/// 2015, section 9.5.3).
Summary summarise(std::span<const double> samples);

/// Only the half-width of `summarise`, which needs no sorting.
double relative_half_width(std::span<const double> samples);

/// Two-sided 95 % quantile of Student's t distribution (expansion of Abramowitz and Stegun, 1964, 26.7.5).
double student_95(std::size_t degrees_of_freedom);

}  // namespace linkworth::netbench
