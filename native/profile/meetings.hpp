// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The collectives of one communicator: when each member came, and which members waited for which.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "calls/event.hpp"

namespace linkworth::profile {

struct Arrival {
    std::int32_t own_rank = 0;  ///< in the communicator
    std::int32_t root = -1;     ///< in the communicator
    tracefile::Collective collective = tracefile::Collective::none;
    std::uint32_t name = 0;
    double posted = 0;  ///< seconds
    double start = 0;   ///< `posted`, or since when no other thread of the rank was in a call
    double end = 0;
};

/// `waiter` and `culprit` are ranks of the communicator.
struct MeetingWait {
    std::int32_t waiter;
    std::int32_t culprit;
    double start;
    double seconds;
};

/// A rank's k-th blocking collective meets the k-th of the other members (MPI-4.1, 6.14).
class Meetings {
  public:
    explicit Meetings(std::span<const std::int32_t> members) : members_(members), next_(members.size(), 0) {}

    /// If this arrival completes a meeting, fills `waits` with those that waited and returns true.
    bool arrive(const Arrival& arrival, std::vector<MeetingWait>& waits);

    std::int32_t world_rank(std::int32_t member) const { return members_[static_cast<std::size_t>(member)]; }
    /// This member comes no more.
    void leave(std::int32_t member);
    /// Number of meetings to which some member did not come.
    std::uint64_t incomplete() const { return std::ranges::max(next_) - first_; }

  private:
    struct Times {
        double posted;
        double start;
        double end;
    };
    struct Meeting {
        std::vector<Times> times;
        std::size_t missing = 0;
    };

    void settle(const Meeting& meeting, const Arrival& last, std::vector<MeetingWait>& waits) const;

    std::span<const std::int32_t> members_;
    std::vector<std::uint64_t> next_;  ///< by member: its next meeting
    std::deque<Meeting> open_;         ///< from meeting `first_` on
    std::vector<std::vector<Times>> spare_;
    std::uint64_t first_ = 0;
    std::uint64_t end_ = UINT64_MAX;  ///< from this meeting on some member does not come
};

}  // namespace linkworth::profile
