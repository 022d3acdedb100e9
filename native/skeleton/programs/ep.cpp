// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "programs/ep/ep.hpp"

#include "skeleton/programs/npb_class.hpp"
#include "skeleton/programs/programs.hpp"

namespace linkworth::skeleton::ep {
namespace {

using namespace npb::ep;

/// Counts pairs of random numbers.
struct CountingKernel {
    Work& work;

    Tally tally(Share share) {
        work.count(static_cast<double>(share.count << kLog2BatchPairs));
        return {};
    }
};
static_assert(Kernel<CountingKernel>);

void check(Arguments arguments, int) { class_of("ep", kClasses, arguments); }

void record(Arguments arguments, RecordingCommunicator& world, Work& work) {
    CountingKernel kernel{work};
    Timers timers(kPhases, work);
    run(world, kernel, class_of("ep", kClasses, arguments), 0, timers);
}

}  // namespace

Skeleton entry() { return {"ep", kPhases, check, record}; }

}  // namespace linkworth::skeleton::ep
