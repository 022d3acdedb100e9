// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/waits.hpp"

#include <algorithm>

namespace linkworth::profile {

Channel& Waits::channel(std::uint32_t communicator, std::uint32_t source, std::uint32_t destination) {
    const auto [place, is_new] =
        channels_.try_emplace({(std::uint64_t{source} << 32) | destination, communicator});
    if (is_new) {
        place->second.source = source;
        place->second.destination = destination;
    }
    return place->second;
}

Meetings& Waits::meetings(std::uint32_t communicator, std::span<const std::int32_t> members) {
    return meetings_.try_emplace(communicator, members).first->second;
}

std::uint32_t Waits::request(double posted, bool sends, Channel* channel) {
    std::uint32_t number = 0;
    if (free_requests_.empty()) {
        number = static_cast<std::uint32_t>(requests_.size());
        requests_.emplace_back();
    } else {
        number = free_requests_.back();
        free_requests_.pop_back();
        requests_[number] = {};
    }
    requests_[number].posted = posted;
    requests_[number].sends = sends;
    requests_[number].channel = channel;
    return number;
}

void Waits::free_request(std::uint32_t request) { free_requests_.push_back(request); }

void Waits::cancel(std::uint32_t request) {
    Request& cancelled = requests_[request];
    if (!cancelled.matched && cancelled.channel != nullptr) {
        (cancelled.sends ? cancelled.channel->sends : cancelled.channel->receives).remove_request(request);
    }
    cancelled.matched = true;
}

void Waits::drop(const Half& half) {
    ++dropped_;
    if (half.request != no_request) {
        take_partner_of_request(half.request, {});
    }
}

void Waits::complete(std::uint32_t rank, std::uint32_t name, double start, double end,
                     std::span<const std::uint32_t> requests) {
    Call call{start, end, rank, name, 0, {start, rank, false, 0}};
    for (const std::uint32_t request : requests) {
        if (requests_[request].matched) {
            consider(call, requests_[request].partner);
            free_request(request);
        } else {
            ++call.left;
        }
    }
    if (call.left == 0) {
        settle(call);
        return;
    }
    std::uint32_t number = 0;
    if (free_waiting_.empty()) {
        number = static_cast<std::uint32_t>(waiting_.size());
        waiting_.push_back(call);
    } else {
        number = free_waiting_.back();
        free_waiting_.pop_back();
        waiting_[number] = call;
    }
    for (const std::uint32_t request : requests) {
        if (!requests_[request].matched) {
            requests_[request].call = number;
        }
    }
}

void Waits::take_partner_of_request(std::uint32_t request, const Partner& partner) {
    Request& matched = requests_[request];
    matched.matched = true;
    matched.partner = partner;
    if (matched.call == no_request) {
        return;
    }
    Call& call = waiting_[matched.call];
    consider(call, partner);
    if (--call.left == 0) {
        settle(call);
        free_waiting_.push_back(matched.call);
    }
    free_request(request);
}

void Waits::consider(Call& call, const Partner& partner) {
    // A send that ended before its receive was posted did not wait for it: its message was buffered.
    if (partner.is_receiver && partner.time > call.end) {
        protocols_.ended_before(partner.protocol);
        return;
    }
    if (partner.time > call.latest.time) {
        call.latest = partner;
        call.latest.time = std::min(partner.time, call.end);
    }
}

void Waits::settle(const Call& call) {
    const double seconds = call.latest.time - call.start;
    if (seconds <= 0) {
        return;
    }
    if (call.latest.is_receiver) {
        const std::uint8_t protocol = call.latest.protocol;
        protocols_.met_inside(protocol);
        for (ByProtocol* const met :
             {&rank_met_[call.rank], &call_met_[call.name], &rank_met_caused_[call.latest.rank]}) {
            if (met->size() <= protocol) {
                met->resize(std::size_t{protocol} + 1);
            }
            (*met)[protocol].add(seconds);
        }
    } else {
        late_sender(call.rank, call.name, call.latest.rank, seconds);
    }
}

void Waits::finish() {
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
    for (std::size_t name = 0; name < calls_.size(); ++name) {
        calls_[name].late_receiver = waited(call_met_[name]);
    }
}

void Waits::meet(Meetings& meetings, const Arrival& arrival) {
    if (!meetings.arrive(arrival, meeting_waits_)) {
        return;
    }
    for (const MeetingWait& wait : meeting_waits_) {
        ranks_[static_cast<std::size_t>(meetings.world_rank(wait.waiter))].collective.add(wait.seconds);
        calls_[arrival.name].collective.add(wait.seconds);
        ranks_[static_cast<std::size_t>(meetings.world_rank(wait.culprit))].caused += wait.seconds;
    }
}

std::uint64_t Waits::unmatched() const {
    std::uint64_t count = dropped_;
    for (const auto& [key, channel] : channels_) {
        count += channel.sends.size() + channel.receives.size();
    }
    for (const auto& [key, meetings] : meetings_) {
        count += meetings.incomplete();
    }
    return count;
}

}  // namespace linkworth::profile
