// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/collectives/build.hpp"

namespace linkworth::replay::collectives {
namespace {

bool next(Phase& phase, Step& step) {
    if (!phase.steps || !phase.steps.next(step)) {
        phase.steps.clear();
        return false;
    }
    if (is_addressed(step) && phase.ranks != nullptr) step.peer = (*phase.ranks)[step.peer];
    return true;
}

}  // namespace

Schedule in_sequence(std::vector<Phase> phases) {
    Step step;
    for (Phase& phase : phases)
        while (next(phase, step)) co_yield Schedule::Forward{phase.steps, step};
}

Schedule side_by_side(std::vector<Phase> beside, std::vector<Phase> own) {
    Step step;
    std::uint8_t lane = 0;
    for (Phase& phase : beside) {
        std::vector<Phase> alone;
        alone.push_back(std::move(phase));
        Schedule steps = in_sequence(std::move(alone));
        co_yield Schedule::Beside{steps, ++lane};
    }
    for (Phase& phase : own)
        while (next(phase, step)) co_yield Schedule::Forward{phase.steps, step};
    co_yield join_all();
}

}  // namespace linkworth::replay::collectives
