// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/imbalance/imbalance.hpp"

#include "skeleton/programs/own_options.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton::imbalance {
namespace {

using namespace npb::imbalance;

Problem problem_of(Arguments arguments) {
    return parsed("imbalance", npb::kImbalanceOptions, arguments, npb::imbalance_problem);
}

/// Counts points of the sum.
struct CountingKernel {
    Work& work;

    double integrate(Share share, std::int64_t) {
        work.count(static_cast<double>(share.count));
        return 0.0;
    }
};
static_assert(Kernel<CountingKernel>);

void check(Arguments arguments, int) { problem_of(arguments); }

void record(Arguments arguments, RecordingCommunicator& world, Work& work) {
    CountingKernel kernel{work};
    Timers timers(kPhases, work);
    run(world, kernel, problem_of(arguments), timers);
}

}  // namespace

Skeleton entry() { return {"imbalance", kPhases, check, record}; }

}  // namespace linkworth::skeleton::imbalance
