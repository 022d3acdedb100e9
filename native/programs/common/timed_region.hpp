// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The timed part of a program, and its iterations.
#pragma once

#include <vector>

#include "communicator.hpp"

namespace linkworth::npb {

/// Runs `work` as the timed region, and returns its seconds.
template <Communicator Comm, class Work>
double timed_region(Comm& world, Work&& work) {
    world.mark_region(1);
    const double begin = world.wall_time();
    work();
    const double elapsed = world.wall_time() - begin;
    world.mark_region(0);
    return elapsed;
}

/// Runs `step(iteration)` for iterations from 1 to `count`. Appends the seconds of each.
template <Communicator Comm, class Step>
void repeat(Comm& world, int count, std::vector<double>& seconds, Step&& step) {
    for (int iteration = 1; iteration <= count; ++iteration) {
        const double begin = world.wall_time();
        step(iteration);
        seconds.push_back(world.wall_time() - begin);
    }
}

}  // namespace linkworth::npb
