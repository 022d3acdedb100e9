// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace linkworth::netbench {
namespace {

constexpr std::size_t kGroups = 20;
constexpr double kScaledToDeviation = 1.4826;  // of a normal distribution's median absolute deviation
constexpr double kOutlierDeviations = 3.0;
/// Two-sided 99.9 % quantile of Student's t with 18 degrees of freedom, those of a regression over 20 groups
/// (any table).
constexpr double kDriftQuantile = 3.922;

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values, double mean) {
    if (values.size() < 2) return 0.0;
    double sum = 0.0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double median_of_sorted(std::span<const double> sorted) {
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

std::vector<double> group_means(std::span<const double> samples) {
    std::vector<double> means;
    for (std::size_t g = 0; g < kGroups; ++g) {
        const std::size_t from = samples.size() * g / kGroups, to = samples.size() * (g + 1) / kGroups;
        means.push_back(mean_of(samples.subspan(from, to - from)));
    }
    return means;
}

std::size_t count_outliers(std::span<const double> samples, double median) {
    std::vector<double> distances;
    for (const double value : samples) distances.push_back(std::abs(value - median));
    std::sort(distances.begin(), distances.end());
    const double scaled = kScaledToDeviation * median_of_sorted(distances);
    if (scaled == 0.0) return 0;
    return static_cast<std::size_t>(std::count_if(distances.begin(), distances.end(),
                                                  [&](double d) { return d > kOutlierDeviations * scaled; }));
}

struct Line {
    double slope;
    double slope_error;
};

/// Least squares of equally spaced values.
Line regression(std::span<const double> values) {
    const double count = static_cast<double>(values.size());
    const double middle = (count - 1.0) / 2.0, mean = mean_of(values);
    double along = 0.0, spread = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = static_cast<double>(i) - middle;
        along += x * (values[i] - mean);
        spread += x * x;
    }
    const double slope = along / spread;
    double residual = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double off = values[i] - mean - slope * (static_cast<double>(i) - middle);
        residual += off * off;
    }
    return {slope, std::sqrt(residual / (count - 2.0) / spread)};
}

/// Returns values that count as independent: means of groups of neighbours if there are enough samples, else
/// the samples.
std::vector<double> independent_values(std::span<const double> samples) {
    if (samples.size() >= 2 * kGroups) return group_means(samples);
    return {samples.begin(), samples.end()};
}

}  // namespace

double relative_half_width(std::span<const double> samples) {
    if (samples.size() < 2) return std::numeric_limits<double>::infinity();
    const std::vector<double> values = independent_values(samples);
    const double mean = mean_of(values);
    return student_95(values.size() - 1) * deviation_of(values, mean) /
           std::sqrt(static_cast<double>(values.size())) / mean;
}

double student_95(std::size_t degrees_of_freedom) {
    constexpr std::array kFew{12.706, 4.303, 3.182};  // if the expansion is too coarse
    if (degrees_of_freedom == 0) return std::numeric_limits<double>::infinity();
    if (degrees_of_freedom <= kFew.size()) return kFew[degrees_of_freedom - 1];
    // Coefficients of the expansion for the normal distribution's 97.5 % quantile.
    constexpr double x = 1.959963985, x3 = x * x * x, x5 = x3 * x * x, x7 = x5 * x * x, x9 = x7 * x * x;
    constexpr double g1 = (x3 + x) / 4.0, g2 = (5.0 * x5 + 16.0 * x3 + 3.0 * x) / 96.0;
    constexpr double g3 = (3.0 * x7 + 19.0 * x5 + 17.0 * x3 - 15.0 * x) / 384.0;
    constexpr double g4 = (79.0 * x9 + 776.0 * x7 + 1482.0 * x5 - 1920.0 * x3 - 945.0 * x) / 92160.0;
    const double n = static_cast<double>(degrees_of_freedom);
    return x + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n;
}

Summary summarise(std::span<const double> samples) {
    if (samples.empty()) throw std::invalid_argument("no samples");
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    Summary result;
    result.samples = samples.size();
    result.mean = mean_of(samples);
    result.median = median_of_sorted(sorted);
    result.deviation = deviation_of(samples, result.mean);
    result.minimum = sorted.front();
    const double rank = std::ceil(0.99 * static_cast<double>(sorted.size()));
    result.p99 = sorted[static_cast<std::size_t>(rank) - 1];
    result.outliers = count_outliers(samples, result.median);
    result.half_width = relative_half_width(samples);
    if (samples.size() >= 2 * kGroups) {
        const std::vector<double> groups = group_means(samples);
        const Line line = regression(groups);
        const std::span<const double> all(groups);
        result.drift = mean_of(all.last(kGroups / 4)) / mean_of(all.first(kGroups / 4)) - 1.0;
        result.drift_is_significant = std::abs(line.slope) > kDriftQuantile * line.slope_error;
    }
    return result;
}

}  // namespace linkworth::netbench
