// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Changes the records of a part on their way into a trace: numbers of names, and times in whole steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tracefile/part.hpp"

namespace linkworth::tracefile {

/// Puts a rank's moments on a grid. Moments are rounded, not lengths, so that errors do not add up: each
/// moment is off by at most half a step, and so is the sum of any number of gaps and calls by at most one.
class TimeGrid {
  public:
    /// `start_ns`: the rank's start in nanoseconds from the trace's origin, where its clock showed
    /// `start_ticks`.
    TimeGrid(std::uint64_t start_ticks, double start_ns, double ns_per_tick, std::uint32_t step_ns)
        : start_ticks_(start_ticks),
          start_(start_ns / step_ns),
          steps_per_tick_(ns_per_tick / step_ns),
          step_ns_(step_ns) {}

    /// Steps from the trace's origin to that moment; never falls as `ticks` rises.
    std::uint64_t steps(std::uint64_t ticks) const;
    std::uint32_t step_ns() const { return step_ns_; }

  private:
    std::uint64_t start_ticks_;
    double start_;
    double steps_per_tick_;
    std::uint32_t step_ns_;
};

/// A copy of a block's records in which every shape's name is replaced by `new_number[name]`, and where there
/// is a grid, gaps, durations and overlaps count its steps. CPU times stay nanoseconds, as multiples of the
/// step. The records must be sound.
std::vector<std::uint8_t> rewrite_records(const PartBlock& block,
                                          const std::vector<std::uint32_t>& new_number, const TimeGrid* grid);

}  // namespace linkworth::tracefile
