// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Who waited for whom: the recorded times of both sides of each message and of all sides of each collective.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/channels.hpp"
#include "profile/halves.hpp"
#include "profile/meetings.hpp"
#include "profile/protocol.hpp"
#include "replay/activity_map.hpp"

namespace linkworth::profile {

using replay::Activity;
using replay::ActivityMap;

struct Waited {
    std::uint64_t calls = 0;
    double seconds = 0;

    void add(double more) {
        ++calls;
        seconds += more;
    }
};

/// The wait states of Wolf and Mohr (Automatic performance analysis of hybrid MPI/OpenMP applications, J.
/// Systems Architecture 49, 2003).
struct WaitSums {
    Waited late_sender;    ///< a receive was there before its send started
    Waited late_receiver;  ///< a send that waits for its receive was there before it
    Waited collective;  ///< a collective waited for its last member, its root, or those that it receives from
};

struct RankWaits : WaitSums {
    double caused = 0;  ///< seconds that calls of other ranks waited for this one
};

/// Takes the calls of all ranks, each rank's in its order. The distance between the ranks' positions does not
/// affect the result. Memory: the messages and collectives of which some side is missing.
class Waits {
  public:
    /// `activities`: receives the waits with their times, if not null.
    Waits(std::uint32_t ranks, std::size_t names, ActivityMap* activities)
        : activities_(activities),
          ranks_(ranks),
          rank_met_(ranks),
          rank_met_caused_(ranks),
          call_met_(names),
          calls_(names),
          ended_(ranks, 0) {}

    /// The messages from `source` to `destination` (world ranks) in a communicator; the reference stays
    /// valid.
    Channel& channel(std::uint32_t communicator, std::uint32_t source, std::uint32_t destination) {
        return channels_.at(communicator, source, destination);
    }
    /// The collectives of a communicator; the reference stays valid.
    Meetings& meetings(std::uint32_t communicator, std::span<const std::int32_t> members);

    void send(Channel& channel, Half half) {
        if (!halves_.take(channel.receives, half.tag,
                          [&](const Half& other) { match(channel, half, other); })) {
            await_other(half, channel.sends, channel.destination);
        }
    }
    void receive(Channel& channel, Half half) {
        if (!halves_.take(channel.sends, half.tag, [&](const Half& other) { match(channel, other, half); }))
            await_other(half, channel.receives, channel.source);
    }

    /// A new request of a send or a receive. `complete` ends it.
    std::uint32_t request() {
        if (free_request_ == no_request) [[unlikely]]
            add_request();
        const std::uint32_t number = free_request_;
        Request& made = requests_[number];
        free_request_ = made.call;
        made.call = no_request;
        made.half = no_half;
        return number;
    }
    /// A call between `start` and `end` waited for all of these requests and ends them.
    void complete(std::uint32_t rank, std::uint32_t name, double start, double end,
                  std::span<const std::uint32_t> requests) {
        Call call{start, end, rank, name, 0, {start, rank, false, 0}};
        for (const std::uint32_t number : requests) {
            if (const Request& request = requests_[number]; request.half == matched) {
                consider(call, request.partner);
                free_request(number);
            } else {
                ++call.left;
            }
        }
        if (call.left == 0) [[likely]]
            settle(call);
        else
            keep_waiting(call, requests);
    }
    /// Stops the request from matching a message; it must still be completed.
    void cancel(std::uint32_t request);
    /// The rank makes no further call, so that data that waits for it is dropped.
    void end(std::uint32_t rank) { ended_[rank] = 1; }

    /// A rank's next collective on this communicator.
    void meet(Meetings& meetings, const Arrival& arrival);

    /// After the last call: takes those late receivers for which sends did wait into the sums.
    void finish();
    const std::vector<RankWaits>& ranks() const { return ranks_; }
    const std::vector<WaitSums>& calls() const { return calls_; }  ///< by name
    std::uint64_t messages() const { return messages_; }           ///< with both sides
    /// Number of messages and collectives with a side that is not in the trace.
    std::uint64_t unmatched() const;

  private:
    struct Partner {
        double time = -1;  ///< before every start: nobody waits for it
        std::uint32_t rank = 0;
        bool is_receiver = false;
        std::uint8_t protocol = 0;  ///< of the send that meets a receiver

        /// Does not depend on the order in which partners become known. Of two at one time, one that sends
        /// holds up the call for certain.
        bool holds_up_more_than(const Partner& other) const {
            if (time != other.time) return time > other.time;
            return is_receiver != other.is_receiver ? other.is_receiver : rank < other.rank;
        }
    };
    struct Request {
        Partner partner;                  ///< if it is matched
        std::uint32_t call = no_request;  ///< that waits for it; of a free one, the next free one
        std::uint32_t half = no_half;     ///< of its message that waits for the other one, or `matched`
    };
    /// A call that waits for partners.
    struct Call {
        double start = 0;
        double end = 0;
        std::uint32_t rank = 0;
        std::uint32_t name = 0;
        std::uint32_t left = 0;  ///< partners that are not known yet
        Partner latest{};
    };

    /// Marks a request with a partner.
    static constexpr std::uint32_t matched = no_half - 1;

    void await_other(const Half& half, HalfQueue& queue, std::uint32_t other_rank) {
        if (ended_[other_rank]) return drop(half.request);
        const std::uint32_t number = halves_.push(queue, half);
        if (half.request != no_request) requests_[half.request].half = number;
    }
    void match(const Channel& channel, const Half& send, const Half& receive) {
        ++messages_;
        if (send.request != no_request) {
            take_partner_of_request(send.request, {receive.posted, channel.destination, true, send.protocol});
        } else if (receive.posted > send.posted) {
            // Same as `consider` and `settle`, for one partner.
            if (receive.posted > send.end) {
                protocols_.ended_before(send.protocol);
            } else {
                late_receiver(channel.source, send.name, channel.destination, send.protocol, send.posted,
                              receive.posted - send.posted);
            }
        }
        if (receive.request != no_request) {
            take_partner_of_request(receive.request, {send.posted, channel.source, false, 0});
        } else if (send.posted > receive.posted) {
            if (const double until = std::min(send.posted, receive.end); until > receive.posted) {
                late_sender(channel.destination, receive.name, channel.source, receive.posted,
                            until - receive.posted);
            }
        }
    }
    void take_partner_of_request(std::uint32_t number, Partner partner) {
        Request& request = requests_[number];
        request.half = matched;
        request.partner = partner;
        if (request.call != no_request) tell_call(number, partner);
    }
    void consider(Call& call, Partner partner) {
        // A send that ended before its receive was posted did not wait for it: its message was buffered.
        if (partner.is_receiver && partner.time > call.end)
            protocols_.ended_before(partner.protocol);
        else if (partner.holds_up_more_than(call.latest))
            call.latest = partner;
    }
    void settle(const Call& call) {
        const double seconds = std::min(call.latest.time, call.end) - call.start;
        if (seconds <= 0) return;
        if (call.latest.is_receiver)
            late_receiver(call.rank, call.name, call.latest.rank, call.latest.protocol, call.start, seconds);
        else
            late_sender(call.rank, call.name, call.latest.rank, call.start, seconds);
    }
    void late_sender(std::uint32_t rank, std::uint32_t name, std::uint32_t sender, double start,
                     double seconds) {
        ranks_[rank].late_sender.add(seconds);
        calls_[name].late_sender.add(seconds);
        ranks_[sender].caused += seconds;
        if (activities_ != nullptr) [[unlikely]]
            activities_->add(rank, Activity::waits_point_to_point, start, start + seconds);
    }
    void late_receiver(std::uint32_t rank, std::uint32_t name, std::uint32_t receiver, std::uint8_t protocol,
                       double start, double seconds);
    void drop(std::uint32_t request);
    void tell_call(std::uint32_t request, Partner partner);
    void keep_waiting(const Call& call, std::span<const std::uint32_t> requests);
    void add_request();
    void free_request(std::uint32_t request) {
        requests_[request].call = free_request_;
        free_request_ = request;
    }

    /// Waiting by protocol, for those that occurred. It counts only if sends of this kind wait at all.
    using ByProtocol = std::vector<Waited>;

    ActivityMap* activities_;
    std::map<std::uint8_t, ActivityMap> met_at_;  ///< by protocol: when sends met their receive
    std::vector<RankWaits> ranks_;
    SendProtocols protocols_;
    std::vector<ByProtocol> rank_met_;
    std::vector<ByProtocol> rank_met_caused_;
    std::vector<ByProtocol> call_met_;  ///< by name
    std::vector<WaitSums> calls_;
    Channels channels_;
    Halves halves_;
    std::unordered_map<std::uint32_t, Meetings> meetings_;
    replay::LargeVector<Request> requests_;
    std::uint32_t free_request_ = no_request;  ///< the first of those that are free
    replay::LargeVector<Call> waiting_;
    std::vector<std::uint32_t> free_waiting_;
    std::vector<MeetingWait> meeting_waits_;
    std::vector<std::uint8_t> ended_;  ///< by rank
    std::uint64_t messages_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace linkworth::profile
