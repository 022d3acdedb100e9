// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Changes the records of a part on their way into a trace: numbers of names, and times in whole steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/part.hpp"
#include "trace/shape_codec.hpp"

namespace linkworth::tracefile {

/// Puts a rank's moments on a grid. Moments are rounded, not lengths, so that errors do not add up. Each
/// moment is off by at most half a step, and the sum of any number of gaps and calls by at most one.
class TimeGrid {
  public:
    /// `start_ns`: the rank's start in nanoseconds from the trace's origin, when its clock showed
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

/// Copies the records of a part's blocks; blocks that follow one another become one. Every shape's name is
/// replaced by `new_number[name]`. With a grid, gaps, durations and overlaps count its steps. CPU times stay
/// nanoseconds, as multiples of the step. The records must be sound.
class RecordRewriter {
  public:
    /// `grid` may be null.
    RecordRewriter(const std::vector<std::uint32_t>& new_number, const TimeGrid* grid)
        : new_number_(new_number), grid_(grid) {}

    /// Returns whether the block begins where the records so far end, so that it can be added to them.
    bool is_followed_by(const PartBlock& block) const;
    void add(const PartBlock& block);
    /// Records added since the last `clear`, and the time and request with which they begin.
    std::span<const std::uint8_t> records() const { return {out_.data(), used_}; }
    std::uint64_t events() const { return events_; }
    std::uint64_t base_ticks() const { return base_ticks_; }
    std::uint64_t first_request() const { return first_request_; }
    void clear();

  private:
    struct OutShape {
        std::uint32_t number = 0;
        bool makes_request = false;
    };

    /// Returns the position for the next `bytes` bytes, with space for them.
    std::uint8_t* room(std::size_t bytes) {
        if (out_.size() - used_ < bytes) [[unlikely]]
            out_.resize(2 * out_.size() + bytes);
        return out_.data() + used_;
    }
    OutShape take_shape(std::span<const std::uint8_t> payload);
    std::uint64_t advance(std::uint64_t by);
    std::uint64_t rounded_cpu(std::uint64_t cpu);

    const std::vector<std::uint32_t>& new_number_;
    const TimeGrid* grid_;
    std::vector<std::uint8_t> out_;  ///< `used_` bytes of it are filled
    std::size_t used_ = 0;
    ShapeNumbers numbers_;          ///< of the shapes in `out_`
    std::vector<OutShape> shapes_;  ///< by number in the block that is added
    std::vector<std::uint8_t> payload_;
    std::uint64_t events_ = 0;
    std::uint64_t base_ticks_ = 0;
    std::uint64_t first_request_ = 0;
    std::uint64_t next_request_ = 0;
    std::uint64_t ticks_ = 0;
    std::uint64_t now_ = 0;  ///< `ticks_` in units of the output
    std::uint64_t cpu_ = 0;  ///< nanoseconds since the last `clear`
    std::uint64_t cpu_written_ = 0;
    std::uint64_t thread_ = 0;
};

}  // namespace linkworth::tracefile
