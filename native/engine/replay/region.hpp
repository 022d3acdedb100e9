// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The part of the run that is timed: what the program marks by MPI_Pcontrol(1) and MPI_Pcontrol(0), else all
/// of it.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/stamp.hpp"

namespace linkworth::replay {

class Region {
  public:
    explicit Region(std::uint32_t ranks) : inside_(ranks), compute_(ranks), compute_inside_(ranks) {}

    void enter(std::uint32_t rank, const Stamp& now) {
        marked_ = true;
        if (inside_[rank]) return;
        inside_[rank] = true;
        if (ranks_inside_++ == 0) start_ = end_ = now;
    }

    void leave(std::uint32_t rank, const Stamp& now) {
        if (!inside_[rank]) return;
        inside_[rank] = false;
        end_.raise_to(now);
        if (--ranks_inside_ == 0) add_difference();
    }

    void compute(std::uint32_t rank, double seconds) {
        compute_[rank] += seconds;
        if (inside_[rank]) compute_inside_[rank] += seconds;
    }

    bool marked() const { return marked_; }
    /// Parts of the marked regions together.
    const Stamp& total() const { return total_; }
    const std::vector<double>& rank_compute() const { return marked_ ? compute_inside_ : compute_; }

  private:
    void add_difference() {
        total_.add_compute(end_.compute - start_.compute);
        total_.add_overhead(end_.overhead - start_.overhead);
        total_.add_latency(end_.link_latency - start_.link_latency, false);
        total_.add_latency(end_.local_latency - start_.local_latency, true);
        total_.add_bandwidth(end_.link_bandwidth - start_.link_bandwidth, false);
        total_.add_bandwidth(end_.local_bandwidth - start_.local_bandwidth, true);
        total_.add_wait(end_.wait - start_.wait);
    }

    std::vector<bool> inside_;
    std::vector<double> compute_;
    std::vector<double> compute_inside_;
    std::uint32_t ranks_inside_ = 0;
    bool marked_ = false;
    Stamp start_;
    Stamp end_;
    Stamp total_;
};

}  // namespace linkworth::replay
