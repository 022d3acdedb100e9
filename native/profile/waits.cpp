// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/waits.hpp"

#include <algorithm>

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

void Waits::late_receiver(std::uint32_t rank, std::uint32_t name, std::uint32_t receiver,
                          std::uint8_t protocol, double start, double seconds) {
    protocols_.met_inside(protocol);
    if (activities_ != nullptr) {
        const auto ranks = static_cast<std::uint32_t>(ranks_.size());
        met_at_.try_emplace(protocol, ranks, activities_->origin_seconds())
            .first->second.add(rank, Activity::waits_point_to_point, start, start + seconds);
    }
    for (ByProtocol* const met : {&rank_met_[rank], &call_met_[name], &rank_met_caused_[receiver]}) {
        if (met->size() <= protocol) met->resize(std::size_t{protocol} + 1);
        (*met)[protocol].add(seconds);
    }
}

void Waits::finish() {
    // A call may have waited for others than those of its requests whose other side is not in the trace.
    halves_.each_waiting([this](std::uint32_t number) {
        if (!halves_[number].blocks) tell(number, nobody);
    });
    const auto waited = [this](const ByProtocol& met) {
        Waited sum;
        for (std::size_t protocol = 0; protocol < met.size(); ++protocol) {
            if (protocols_.waits(static_cast<std::uint8_t>(protocol))) {
                sum.calls += met[protocol].calls;
                sum.seconds += met[protocol].seconds;
            }
        }
        return sum;
    };
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        ranks_[rank].late_receiver = waited(rank_met_[rank]);
        ranks_[rank].caused += waited(rank_met_caused_[rank]).seconds;
    }
    for (std::size_t name = 0; name < calls_.size(); ++name)
        calls_[name].late_receiver = waited(call_met_[name]);
    for (const auto& [protocol, met] : met_at_)
        if (protocols_.waits(protocol)) activities_->add(met);
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
