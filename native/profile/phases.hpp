// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Phases of a run, from the repetition of one rank's calls: the part before a loop, the loop, the part after
/// it.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/loop_walk.hpp"
#include "profile/loops.hpp"
#include "trace/trace.hpp"

namespace linkworth::profile {

struct Phase {
    bool is_loop = false;
    double start = 0;  ///< seconds from the end of MPI_Init
    double end = 0;
    double seconds = 0;  ///< of an inner loop: in all iterations of the outer one
    std::uint64_t calls = 0;
    std::uint64_t interruptions = 0;  ///< short stretches in a loop that are not part of its iterations
    IterationTimes iterations;
    std::vector<std::uint32_t> names;  ///< of the calls of an iteration, without repetitions, in order
    std::vector<Phase> inner;          ///< loops in an iteration
};

struct Phases {
    std::uint32_t rank = 0;  ///< that was looked at
    Likeness likeness = Likeness::arguments;
    double seconds = 0;  ///< from the end of MPI_Init to the start of MPI_Finalize
    double looped = 0;   ///< of these, in loops
    std::vector<Phase> phases;
};

/// Examines the first rank and one in the middle, with the strictest likeness that finds one loop for most of
/// the time, or else the longest loop. `first`: the walk over rank 0 with `Likeness::arguments`, if another
/// pass has made it; it is finished here.
Phases find_phases(const tracefile::Trace& trace, LoopWalk* first = nullptr);

}  // namespace linkworth::profile
