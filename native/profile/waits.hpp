// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Who waited for whom: the recorded times of both sides of each message and of all sides of each collective.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

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
          rank_unsure_(ranks),
          rank_unsure_caused_(ranks),
          call_unsure_(names),
          calls_(names),
          ended_(ranks, 0) {}

    /// The collectives of a communicator; the reference stays valid.
    Meetings& meetings(std::uint32_t communicator, std::span<const std::int32_t> members);

    /// A send or a receive whose call does not block. Returns the number of its request, for `complete`.
    std::uint32_t take(const Half& half) {
        const std::uint32_t number = halves_.add(half);
        pair(number, half);
        return number;
    }
    /// A call that blocks, and may wait from a time on that is no earlier than its start.
    void take_blocking(const Half& half, double from) {
        const std::uint32_t number = halves_.add(half);
        halves_[number].partner_posted = from;
        pair(number, half);
    }
    /// A blocking receive of the message that a probe found.
    void take_probed(const Half& half, const Probe& probe) {
        const std::uint32_t number = halves_.add(half);
        halves_[number].end = probe.end;
        halves_[number].partner_posted = probe.start;
        halves_[number].call = probe.name;
        pair(number, half);
    }
    /// A receive that matches no message yet; `pair_with` gives its sender and tag, or `cancel` ends it.
    /// `communicator` is the rank's own number of it.
    std::uint32_t without_partner(std::int32_t communicator, double posted) {
        const Pairing known{0, 0, static_cast<std::uint32_t>(communicator), 0};
        return halves_.add({known, posted, posted, 0, Side::receive, 0, false});
    }
    std::int32_t communicator_of(std::uint32_t request) {
        return static_cast<std::int32_t>(halves_[request].pairing.communicator());
    }
    void pair_with(std::uint32_t request, const Pairing& pairing) {
        halves_[request].pairing = pairing;
        pair(request, halves_[request]);
    }
    /// A call between `start` and `end` waited for all of these requests and ends them.
    void complete(std::uint32_t rank, std::uint32_t name, double start, double end,
                  std::span<const std::uint32_t> requests) {
        if (free_waiting_.empty()) [[unlikely]]
            add_waiting();
        const std::uint32_t place = free_waiting_.back();
        Call call{start, end, rank, name};
        for (const std::uint32_t number : requests) {
            if (Halves::Place& half = halves_[number]; half.state == Halves::State::met) {
                consider(call, partner_of(half));
                halves_.release(number);
            } else {
                half.call = place;
                ++call.left;
            }
        }
        if (call.left == 0) {
            settle(call);
        } else {
            free_waiting_.pop_back();
            waiting_[place] = call;
        }
    }
    /// Ends a request that no call waits for. When it ended is not known, so it shows nothing of a protocol.
    void abandon(std::uint32_t request) {
        halves_[request].protocol = SendProtocols::buffered;
        complete(0, 0, 0, 0, std::span(&request, 1));
    }
    /// Stops the request from matching a message; it must still be completed.
    void cancel(std::uint32_t request);
    /// The rank makes no further call, so that data that waits for it is dropped.
    void end(std::uint32_t rank) { ended_[rank] = 1; }

    /// A rank's next collective on this communicator.
    void meet(Meetings& meetings, const Arrival& arrival);

    /// After the last call: takes the waits whose condition holds into the sums.
    void finish();
    const std::vector<RankWaits>& ranks() const { return ranks_; }
    const std::vector<WaitSums>& calls() const { return calls_; }  ///< by name
    std::uint64_t messages() const { return messages_; }           ///< with both sides
    /// Number of messages and collectives with a side that is not in the trace.
    std::uint64_t unmatched() const;

  private:
    /// Time of a partner that nobody waits for: before every start.
    static constexpr double nobody = -1;

    struct Partner {
        double time = nobody;
        std::uint32_t rank = 0;
        bool is_receiver = false;
        std::uint8_t protocol = 0;  ///< of the send that meets a receiver

        /// Does not depend on the order in which partners become known.
        bool holds_up_more_than(const Partner& other) const {
            if (time != other.time) return time > other.time;
            return rank != other.rank ? rank < other.rank : protocol < other.protocol;
        }
    };
    /// A call that waits for partners.
    struct Call {
        double start = 0;
        double end = 0;
        std::uint32_t rank = 0;
        std::uint32_t name = 0;
        std::uint32_t left = 0;  ///< partners that are not known yet
        Partner sender{};        ///< the latest
        /// The latest ones that came during the call, the latest first, each of another protocol.
        std::array<Partner, most_late_protocols> receivers{};
    };

    void pair(std::uint32_t number, const Half& half) {
        std::uint32_t& first = halves_.first_of(half.pairing);
        if (first == no_half || halves_[first].side == half.side)
            if (ended_[half.other_rank()]) [[unlikely]]
                drop(number);
            else
                halves_.wait(first, number);
        else if (const std::uint32_t other = halves_.take(first); half.side == Side::send)
            match(number, other);
        else
            match(other, number);
    }
    void match(std::uint32_t send_number, std::uint32_t receive_number) {
        ++messages_;
        const Halves::Place& send = halves_[send_number];
        const Halves::Place& receive = halves_[receive_number];
        const double sent = send.posted;
        const double received = receive.posted;
        if (!send.blocks) {
            tell(send_number, received);
        } else {
            // Same as `consider` and `settle`, for one partner.
            if (received > sent && received >= send.end) {
                protocols_.ended_before(send.protocol);
            } else if (received > sent) {
                protocols_.met_inside(send.protocol);
                if (const double from = send.partner_posted; received > from) {
                    unsure({.waiting = send.protocol}, send.pairing.source(), send.name,
                           send.pairing.destination(), from, received - from);
                }
            }
            halves_.release(send_number);
        }
        if (!receive.blocks) {
            tell(receive_number, sent);
        } else {
            // If a probe found the message, the receive did not wait for it.
            const std::uint32_t name = receive.call == no_half ? receive.name : receive.call;
            const double from = receive.partner_posted;
            if (const double until = std::min(sent, receive.end); until > from)
                late_sender(receive.pairing.destination(), name, receive.pairing.source(), from,
                            until - from);
            halves_.release(receive_number);
        }
    }
    /// The other half of a request's message was posted at this time.
    void tell(std::uint32_t request, double posted) {
        Halves::Place& half = halves_[request];
        half.state = Halves::State::met;
        half.partner_posted = posted;
        if (half.call != no_half) tell_call(request);
    }
    static Partner partner_of(const Halves::Place& half) {
        return {half.partner_posted, half.other_rank(), half.side == Side::send, half.protocol};
    }
    void consider(Call& call, const Partner& partner) {
        if (!partner.is_receiver) {
            if (partner.holds_up_more_than(call.sender)) call.sender = partner;
        } else if (partner.time > call.start && partner.time >= call.end) {
            // The send ended before its receive was posted: its message was buffered.
            protocols_.ended_before(partner.protocol);
        } else if (partner.time > call.start) {
            consider_receiver(call, partner);
        }
    }
    void settle(const Call& call) {
        if (call.receivers.front().time > call.sender.time) [[unlikely]]
            return settle_unsure(call);
        if (const double until = std::min(call.sender.time, call.end); until > call.start)
            late_sender(call.rank, call.name, call.sender.rank, call.start, until - call.start);
    }
    void late_sender(std::uint32_t rank, std::uint32_t name, std::uint32_t sender, double start,
                     double seconds) {
        ranks_[rank].late_sender.add(seconds);
        calls_[name].late_sender.add(seconds);
        ranks_[sender].caused += seconds;
        if (activities_ != nullptr) [[unlikely]]
            activities_->add(rank, Activity::waits_point_to_point, start, start + seconds);
    }
    void consider_receiver(Call& call, const Partner& partner);
    void settle_unsure(const Call& call);
    void unsure(const WaitCondition& condition, std::uint32_t rank, std::uint32_t name, std::uint32_t culprit,
                double start, double seconds);
    void drop(std::uint32_t number);
    void tell_call(std::uint32_t request);
    void add_waiting();

    using ByCondition = std::map<WaitCondition, Waited>;

    ActivityMap* activities_;
    std::map<WaitCondition, ActivityMap> unsure_at_;
    std::vector<RankWaits> ranks_;
    SendProtocols protocols_;
    std::vector<ByCondition> rank_unsure_;
    std::vector<ByCondition> rank_unsure_caused_;
    std::vector<ByCondition> call_unsure_;  ///< by name
    std::vector<WaitSums> calls_;
    Halves halves_;
    std::unordered_map<std::uint32_t, Meetings> meetings_;
    replay::LargeVector<Call> waiting_;
    std::vector<std::uint32_t> free_waiting_;
    std::vector<MeetingWait> meeting_waits_;
    std::vector<std::uint8_t> ended_;  ///< by rank
    std::uint64_t messages_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace linkworth::profile
