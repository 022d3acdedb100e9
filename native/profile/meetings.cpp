// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/meetings.hpp"

#include <algorithm>

namespace linkworth::profile {
namespace {

using tracefile::Collective;

/// Members of a whole trace are not so far apart. If calls of one are lost, the others' need not be kept.
constexpr std::uint64_t most_open = 1 << 16;

/// Members that must have come before a member can leave.
enum class Rule : std::uint8_t { all, root, root_for_all, lower, none };

Rule rule_of(Collective collective) {
    switch (collective) {
        case Collective::barrier:
        case Collective::allgather:
        case Collective::allgatherv:
        case Collective::alltoall:
        case Collective::alltoallv:
        case Collective::alltoallw:
        case Collective::allreduce:
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block: return Rule::all;
        case Collective::bcast:
        case Collective::scatter:
        case Collective::scatterv: return Rule::root;
        case Collective::gather:
        case Collective::gatherv:
        case Collective::reduce: return Rule::root_for_all;
        case Collective::scan:
        case Collective::exscan: return Rule::lower;
        default: return Rule::none;
    }
}

}  // namespace

bool Meetings::arrive(const Arrival& arrival, std::vector<MeetingWait>& waits) {
    const auto own = static_cast<std::size_t>(arrival.own_rank);
    const std::uint64_t number = next_[own]++;
    if (number - first_ >= most_open) end_ = std::min(end_, number);
    if (number >= end_) return false;
    const std::size_t at = number - first_;
    while (at >= open_.size()) {
        Meeting& meeting = open_.emplace_back();
        if (!spare_.empty()) {
            meeting.times = std::move(spare_.back());
            spare_.pop_back();
        }
        meeting.times.resize(members_.size());
        meeting.missing = members_.size();
    }
    Meeting& meeting = open_[at];
    meeting.times[own] = {arrival.posted, arrival.start, arrival.end};
    if (--meeting.missing > 0) return false;
    waits.clear();
    settle(meeting, arrival, waits);
    // Members go through the meetings in order, so that this is the first.
    spare_.push_back(std::move(meeting.times));
    open_.pop_front();
    ++first_;
    return true;
}

void Meetings::leave(std::int32_t member) {
    end_ = std::min(end_, next_[static_cast<std::size_t>(member)]);
    while (!open_.empty() && first_ + open_.size() > end_) open_.pop_back();
}

void Meetings::settle(const Meeting& meeting, const Arrival& last, std::vector<MeetingWait>& waits) const {
    const auto count = static_cast<std::int32_t>(meeting.times.size());
    const auto times = [&meeting](std::int32_t member) -> const Times& {
        return meeting.times[static_cast<std::size_t>(member)];
    };
    const auto add = [&](std::int32_t waiter, std::int32_t culprit) {
        const double seconds = std::min(times(culprit).posted, times(waiter).end) - times(waiter).start;
        if (seconds > 0) waits.push_back({waiter, culprit, times(waiter).start, seconds});
    };
    const auto latest = static_cast<std::int32_t>(
        std::ranges::max_element(meeting.times, {}, &Times::posted) - meeting.times.begin());
    const bool rooted = last.root >= 0 && last.root < count;
    switch (rule_of(last.collective)) {
        case Rule::all:
            for (std::int32_t member = 0; member < count; ++member) add(member, latest);
            break;
        case Rule::root:
            for (std::int32_t member = 0; rooted && member < count; ++member) add(member, last.root);
            break;
        case Rule::root_for_all:
            if (rooted) add(last.root, latest);
            break;
        case Rule::lower:
            for (std::int32_t member = 1, before = 0; member < count; ++member) {
                add(member, before);
                before = times(member).posted > times(before).posted ? member : before;
            }
            break;
        case Rule::none: break;
    }
}

}  // namespace linkworth::profile
