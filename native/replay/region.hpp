// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The timed part of the run: what the program marks by MPI_Pcontrol(1) and MPI_Pcontrol(0), or all of it.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "replay/stamp.hpp"

namespace linkworth::replay {

class Region {
  public:
    /// `in_time_order`: moments come in their order, whatever the rank.
    Region(std::uint32_t ranks, bool in_time_order)
        : in_time_order_(in_time_order),
          inside_(ranks),
          entered_(ranks),
          compute_(ranks),
          compute_inside_(ranks),
          level_compute_(ranks, &by_level_[0]) {}
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    ~Region() = default;

    /// A rank's computation from here on is of this level of MPI_Pcontrol.
    void set_level(std::uint32_t rank, std::int32_t level) { level_compute_[rank] = &by_level_[level]; }

    void enter(std::uint32_t rank, const Stamp& now) {
        marked_ = true;
        if (inside_[rank]) return;
        inside_[rank] = true;
        entered_[rank] = now;
        ++ranks_inside_;
    }

    void leave(std::uint32_t rank, const Stamp& now) {
        if (!inside_[rank]) return;
        inside_[rank] = false;
        unite(entered_[rank], now);
        if (--ranks_inside_ > 0 || !in_time_order_) return;
        // All later stretches start after these, so that these can be summed now.
        total_ = total();
        stretches_.clear();
    }

    void compute(std::uint32_t rank, double seconds) {
        compute_[rank] += seconds;
        if (!inside_[rank]) return;
        compute_inside_[rank] += seconds;
        *level_compute_[rank] += seconds;
    }

    /// Recorded time between calls in which the rank had no core.
    void descheduled(std::uint32_t rank, double seconds) {
        descheduled_ += seconds;
        if (inside_[rank]) descheduled_inside_ += seconds;
    }

    bool marked() const { return marked_; }
    bool inside(std::uint32_t rank) const { return inside_[rank]; }
    /// Parts of the stretches of time together in which a rank is inside.
    Stamp total() const {
        Stamp total = total_;
        for (const auto& [seconds, stretch] : stretches_) add_difference(total, stretch);
        return total;
    }
    /// Computation inside the marked regions by level, summed over ranks.
    const std::map<std::int32_t, double>& level_compute() const { return by_level_; }
    const std::vector<double>& rank_compute() const { return marked_ ? compute_inside_ : compute_; }
    const std::vector<double>& run_compute() const { return compute_; }
    double descheduled_seconds() const { return marked_ ? descheduled_inside_ : descheduled_; }

  private:
    struct Stretch {
        Stamp start;
        Stamp end;
    };

    /// Puts a rank's stretch together with those that it meets.
    void unite(const Stamp& start, const Stamp& end) {
        Stretch whole{start, end};
        auto place = stretches_.upper_bound(start.seconds);
        if (place != stretches_.begin() && std::prev(place)->second.end.seconds >= start.seconds) {
            --place;
            whole.start = place->second.start;
        }
        while (place != stretches_.end() && place->first <= end.seconds) {
            whole.end.raise_to(place->second.end);
            place = stretches_.erase(place);
        }
        stretches_.emplace_hint(place, whole.start.seconds, whole);
    }

    static void add_difference(Stamp& total, const Stretch& stretch) {
        const Stamp& start = stretch.start;
        const Stamp& end = stretch.end;
        total.seconds += end.seconds - start.seconds;
        total.compute += end.compute - start.compute;
        total.overhead += end.overhead - start.overhead;
        total.link_latencies += end.link_latencies - start.link_latencies;
        total.link_bandwidth += end.link_bandwidth - start.link_bandwidth;
        total.elsewhere_latency += end.elsewhere_latency - start.elsewhere_latency;
        total.elsewhere_bandwidth += end.elsewhere_bandwidth - start.elsewhere_bandwidth;
        total.wait += end.wait - start.wait;
    }

    bool in_time_order_;
    std::vector<bool> inside_;
    std::vector<Stamp> entered_;  ///< [rank]
    std::vector<double> compute_;
    std::vector<double> compute_inside_;
    std::map<std::int32_t, double> by_level_;
    std::vector<double*> level_compute_;  ///< [rank] the place of its level in `by_level_`
    double descheduled_ = 0;
    double descheduled_inside_ = 0;
    std::uint32_t ranks_inside_ = 0;
    bool marked_ = false;
    std::map<double, Stretch> stretches_;  ///< that do not meet, by their start
    Stamp total_;                          ///< of stretches that nothing can meet any more
};

}  // namespace linkworth::replay
