// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/waits.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace linkworth::profile {

Meetings& Waits::meetings(std::uint32_t communicator, std::span<const std::int32_t> members) {
    return meetings_.try_emplace(communicator, members).first->second;
}

void Waits::cancel(std::uint32_t request) {
    const Halves::State state = halves_[request].state;
    if (state == Halves::State::waits) halves_.remove(request);
    if (state != Halves::State::met) tell(request, nobody);
}

/// The other side makes no further call.
void Waits::drop(std::uint32_t number) {
    ++dropped_;
    if (halves_[number].blocks)
        halves_.release(number);
    else
        tell(number, nobody);
}

void Waits::add_waiting() {
    free_waiting_.push_back(static_cast<std::uint32_t>(waiting_.size()));
    waiting_.emplace_back();
}

/// Notes that one of the call's requests has met its partner.
void Waits::tell_call(std::uint32_t request) {
    const Halves::Place& half = halves_[request];
    const std::uint32_t number = half.call;
    Call& call = waiting_[number];
    consider(call, partner_of(half));
    if (--call.left == 0) {
        settle(call);
        free_waiting_.push_back(number);
    }
    halves_.release(request);
}

/// Keeps the receiver if it is one of the latest.
void Waits::consider_receiver(Call& call, const Partner& partner) {
    protocols_.met_inside(partner.protocol);
    auto* place = std::ranges::find_if(call.receivers, [&partner](const Partner& other) {
        return other.time == nobody || other.protocol == partner.protocol;
    });
    if (place == call.receivers.end()) --place;
    if (!partner.holds_up_more_than(*place)) return;
    *place = partner;
    while (place != call.receivers.begin() && place->holds_up_more_than(*std::prev(place))) {
        std::swap(*place, *std::prev(place));
        --place;
    }
}

/// The call waited for its latest receiver whose send waits, or for its latest sender if there is none after
/// that.
void Waits::settle_unsure(const Call& call) {
    WaitCondition condition;
    for (std::size_t at = 0; at < call.receivers.size(); ++at) {
        const Partner& receiver = call.receivers[at];
        if (receiver.time <= call.sender.time) break;
        condition.waiting = receiver.protocol;
        unsure(condition, call.rank, call.name, receiver.rank, call.start, receiver.time - call.start);
        condition.waiting = WaitCondition::none;
        condition.not_waiting[at] = receiver.protocol;
    }
    if (call.sender.time > call.start)
        unsure(condition, call.rank, call.name, call.sender.rank, call.start, call.sender.time - call.start);
}

void Waits::unsure(const WaitCondition& condition, std::uint32_t rank, std::uint32_t name,
                   std::uint32_t culprit, double start, double seconds) {
    if (activities_ != nullptr) {
        const auto ranks = static_cast<std::uint32_t>(ranks_.size());
        unsure_at_.try_emplace(condition, ranks, activities_->origin_seconds())
            .first->second.add(rank, Activity::waits_point_to_point, start, start + seconds);
    }
    rank_unsure_[rank][condition].add(seconds);
    rank_unsure_caused_[culprit][condition].add(seconds);
    call_unsure_[name][condition].add(seconds);
}

void Waits::finish() {
    // A call may have waited for others than those of its requests whose other side is not in the trace.
    halves_.each_waiting([this](std::uint32_t number) {
        if (!halves_[number].blocks) tell(number, nobody);
    });
    const auto each_sure = [this](const ByCondition& found, const auto& take) {
        for (const auto& [condition, waited] : found)
            if (condition.holds(protocols_)) take(condition, waited);
    };
    const auto add_to = [](WaitSums& sums) {
        return [&sums](const WaitCondition& condition, const Waited& more) {
            Waited& sum = condition.waiting == WaitCondition::none ? sums.late_sender : sums.late_receiver;
            sum.calls += more.calls;
            sum.seconds += more.seconds;
        };
    };
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        each_sure(rank_unsure_[rank], add_to(ranks_[rank]));
        each_sure(rank_unsure_caused_[rank],
                  [&](const WaitCondition&, const Waited& waited) { ranks_[rank].caused += waited.seconds; });
    }
    for (std::size_t name = 0; name < calls_.size(); ++name)
        each_sure(call_unsure_[name], add_to(calls_[name]));
    for (const auto& [condition, when] : unsure_at_)
        if (condition.holds(protocols_)) activities_->add(when);
}

void Waits::meet(Meetings& meetings, const Arrival& arrival) {
    if (!meetings.arrive(arrival, meeting_waits_)) return;
    for (const MeetingWait& wait : meeting_waits_) {
        ranks_[static_cast<std::size_t>(meetings.world_rank(wait.waiter))].collective.add(wait.seconds);
        calls_[arrival.name].collective.add(wait.seconds);
        if (activities_ != nullptr) {
            activities_->add(static_cast<std::uint32_t>(meetings.world_rank(wait.waiter)),
                             Activity::waits_collective, wait.start, wait.start + wait.seconds);
        }
        ranks_[static_cast<std::size_t>(meetings.world_rank(wait.culprit))].caused += wait.seconds;
    }
}

std::uint64_t Waits::unmatched() const {
    std::uint64_t count = dropped_ + halves_.size();
    for (const auto& [key, meetings] : meetings_) count += meetings.incomplete();
    return count;
}

}  // namespace linkworth::profile
