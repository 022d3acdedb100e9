// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace linkworth::netbench {
namespace {

constexpr double kTimerShare = 100.0;       // a sample is at least so many times the timer's resolution
constexpr double kWarmUpShare = 0.1;        // of the time of a size
constexpr std::int64_t kWarmUpMost = 4096;  // operations
constexpr double kRoundShare = 0.05;        // of the time of a size
constexpr double kMostSamples = 10000.0;    // in a round
constexpr double kLeastShare = 0.2;         // of the time is always spent: a calm moment is not the rule
constexpr std::size_t kLeastSamples = 20;   // for a judgement of precision
constexpr std::size_t kFewSamples = 5;      // required even if the time is up,
constexpr double kPatience = 5.0;           // unless it is so many times over

/// Command of the first rank to the others. No samples: the size is done.
struct Order {
    double samples;
    double operations;
    double
        settle;  ///< not 0: one sample is taken and dropped, since the order itself disturbed the ranks' step
};

}  // namespace

double timer_resolution() {
    double shortest = MPI_Wtick();
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 1000; ++i) {
        const double before = MPI_Wtime();
        double after = MPI_Wtime();
        while (after == before) after = MPI_Wtime();
        least = std::min(least, after - before);
    }
    return std::max(shortest, least);
}

Sampler::Sampler(MPI_Comm comm, Limits limits)
    : comm_(comm), limits_(limits), resolution_(timer_resolution()) {
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    decides_ = rank == 0;
}

/// Does some operations; on the first rank, returns the time that counts.
double Sampler::once(const Operation& operation, std::int64_t count, Clock clock) const {
    const double own = operation(count);
    double counted = own;
    if (clock == Clock::slowest_rank) MPI_Reduce(&own, &counted, 1, MPI_DOUBLE, MPI_MAX, 0, comm_);
    return counted;
}

/// Returns the time of one operation, on the first rank.
double Sampler::warm_up(const Operation& operation, Clock clock, double started) const {
    double one = 0.0;
    for (std::int64_t count = 1; count > 0;) {
        one = once(operation, count, clock) / static_cast<double>(count);
        const bool enough = MPI_Wtime() - started > kWarmUpShare * limits_.seconds || count >= kWarmUpMost;
        count = enough ? 0 : 2 * count;
        MPI_Bcast(&count, 1, MPI_INT64_T, 0, comm_);
    }
    return one;
}

Summary Sampler::measure(const Operation& operation, Clock clock) {
    const double started = MPI_Wtime();
    const double one = warm_up(operation, clock, started);
    const double per_sample = std::max(1.0, std::ceil(kTimerShare * resolution_ / std::max(one, 1e-12)));
    const double round = kRoundShare * limits_.seconds;
    Order order{std::clamp(std::floor(round / (one * per_sample)), 1.0, kMostSamples), per_sample,
                one * per_sample < round ? 1.0 : 0.0};
    std::vector<double> samples, own;
    while (true) {
        MPI_Bcast(&order, 3, MPI_DOUBLE, 0, comm_);
        if (order.samples == 0.0) break;
        const auto count = static_cast<std::int64_t>(order.operations);
        own.clear();
        if (order.settle != 0.0) operation(count);
        for (double taken = 0; taken < order.samples; ++taken)
            own.push_back(operation(count) / order.operations);
        if (clock == Clock::slowest_rank) {
            std::vector<double> slowest(own.size());
            MPI_Reduce(own.data(), slowest.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_MAX, 0,
                       comm_);
            own.swap(slowest);
        }
        if (!decides_) continue;
        samples.insert(samples.end(), own.begin(), own.end());
        const double spent = (MPI_Wtime() - started) / limits_.seconds;
        const bool precise = spent > kLeastShare && samples.size() >= kLeastSamples &&
                             relative_half_width(samples) <= limits_.precision;
        const bool late = spent > 1.0 && (samples.size() >= kFewSamples || spent > kPatience);
        if (precise || late) order.samples = 0.0;
    }
    return decides_ ? summarise(samples) : Summary{};
}

}  // namespace linkworth::netbench
