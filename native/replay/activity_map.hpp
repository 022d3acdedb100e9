// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Time of the ranks by kind, in a size that does not depend on the run.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/event.hpp"
#include "replay/load_history.hpp"

namespace linkworth::replay {

/// Kinds of time. The waits are parts of the calls of their kind.
enum class Activity : std::uint8_t {
    computation,
    point_to_point,
    collective,
    one_sided,
    other_calls,
    waits_point_to_point,
    waits_collective,
    no_core,  ///< the rank was ready to compute
};
inline constexpr std::size_t activity_count = 8;

constexpr Activity activity_of(tracefile::CallClass call_class) {
    using enum tracefile::CallClass;
    switch (call_class) {
        case send:
        case isend:
        case recv:
        case irecv:
        case sendrecv:
        case isendrecv:
        case send_init:
        case recv_init:
        case psend_init:
        case precv_init:
        case start:
        case complete:
        case request_free:
        case request_cancel:
        case probe:
        case pready:
        case pready_list:
        case parrived: return Activity::point_to_point;
        case collective:
        case icollective:
        case collective_init: return Activity::collective;
        case win_new:
        case win_free:
        case rma:
        case irma:
        case win_sync: return Activity::one_sided;
        default: return Activity::other_calls;
    }
}

/// Seconds of each activity by time, for groups of neighbouring ranks.
class ActivityMap {
  public:
    static constexpr std::uint32_t most_rows = 32;

    ActivityMap() = default;
    /// Times before `origin_seconds` are left out.
    explicit ActivityMap(std::uint32_t ranks, double origin_seconds = 0)
        : origin_(origin_seconds),
          ranks_per_row_((ranks + most_rows - 1) / most_rows),
          rows_(ranks == 0 ? 0 : (ranks + ranks_per_row_ - 1) / ranks_per_row_) {}

    void add(std::uint32_t rank, Activity activity, double from, double to) {
        from = std::max(from - origin_, 0.0);
        to -= origin_;
        if (to > from) rows_[rank / ranks_per_row_][static_cast<std::size_t>(activity)].add(from, to);
    }

    /// Adds the times of a map of the same ranks.
    void add(const ActivityMap& other) {
        for (std::size_t row = 0; row < rows_.size(); ++row)
            for (std::size_t i = 0; i < activity_count; ++i) rows_[row][i].add(other.rows_[row][i]);
    }

    double origin_seconds() const { return origin_; }
    std::uint32_t ranks_per_row() const { return ranks_per_row_; }
    /// Length of a stretch of time.
    double width_seconds() const {
        double widest = 0;
        for (const auto& row : rows_)
            for (const LoadHistory& history : row) widest = std::max(widest, history.width_seconds());
        return widest;
    }
    /// [row][activity][stretch] seconds.
    std::vector<std::vector<std::vector<double>>> seconds() const {
        const double width = width_seconds();
        std::vector<std::vector<std::vector<double>>> found;
        for (const auto& row : rows_) {
            auto& histories = found.emplace_back();
            for (LoadHistory history : row) {
                history.widen_to(width);
                histories.push_back(history.busy());
            }
        }
        return found;
    }

  private:
    double origin_ = 0;
    std::uint32_t ranks_per_row_ = 1;
    std::vector<std::array<LoadHistory, activity_count>> rows_;
};

}  // namespace linkworth::replay
