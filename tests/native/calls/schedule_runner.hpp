// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Runs the schedules of all ranks against each other and follows whose data reaches whom.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "calls/collectives/types.hpp"
#include "calls/schedule.hpp"

namespace linkworth::replay::collectives {

using Maker = std::function<Schedule(Rank me)>;
/// Bit r: the data of rank r (up to 64 ranks).
using Known = std::uint64_t;

inline Known everyone(Rank size) { return size == 64 ? ~Known{0} : (Known{1} << size) - 1; }

struct Traffic {
    std::vector<Bytes> sent;
    std::vector<Bytes> received;
    std::vector<Bytes> combined;
    std::vector<Known> known;  ///< whose data each rank has at the end, through whatever other ranks
    std::uint64_t messages = 0;
};

inline Bytes total(const std::vector<Bytes>& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
}

/// Runs all ranks' schedules until none can go on. Fails where a receive finds other bytes than were sent,
/// where a message is left over, where a rank ends without waiting, or where ranks wait for ever.
/// `synchronous`: a wait also waits until the sent messages were received, as the rendezvous of large
/// messages does.
class RankRunner {
  public:
    RankRunner(const Maker& make, Rank size, bool synchronous) : size_(size), synchronous_(synchronous) {
        traffic_ = {std::vector<Bytes>(size), std::vector<Bytes>(size), std::vector<Bytes>(size), {}, 0};
        for (Rank rank = 0; rank < size; ++rank) {
            traffic_.known.push_back(Known{1} << rank);
            threads_.push_back(std::make_unique<Thread>(rank, std::uint8_t{0}, make(rank)));
        }
    }

    Traffic run() {
        while (turn()) {
        }
        for (const auto& thread : threads_)
            EXPECT_TRUE(thread->ended) << "rank " << thread->rank << " of " << size_ << " waits for ever";
        for (const auto& [way, channel] : on_the_way_)
            EXPECT_TRUE(channel.empty()) << std::get<0>(way) << " to " << std::get<1>(way) << " of " << size_;
        return traffic_;
    }

  private:
    struct Message {
        Bytes bytes;
        Known known;
        bool* taken;  ///< null where nobody waits for it
    };
    struct Receive {
        Rank from;
        Bytes bytes;
    };
    /// A rank's schedule, or one that it started to go on beside it.
    struct Thread {
        Thread(Rank its_rank, std::uint8_t its_lane, Schedule steps)
            : rank(its_rank), lane(its_lane), schedule(std::move(steps)) {}

        Rank rank;
        std::uint8_t lane;
        Schedule schedule;
        std::deque<Receive> awaited;
        std::deque<Receive> ahead;
        std::deque<bool> sends;  ///< whether they were taken
        std::vector<Thread*> started;
        bool waiting = false;
        bool joining = false;
        bool ahead_due = false;
        bool ended = false;
    };

    bool turn() {
        bool moved = false;
        // Threads are added on the way.
        for (std::size_t index = 0; index < threads_.size(); ++index) {
            Thread& thread = *threads_[index];
            while (!thread.ended && may_go_on(thread)) {
                moved = true;
                advance(thread);
            }
        }
        return moved;
    }

    /// Receives are matched in the order in which they were posted, those posted ahead after the others.
    bool may_go_on(Thread& thread) {
        if (thread.joining) {
            for (const Thread* started : thread.started)
                if (!started->ended) return false;
            thread.started.clear();
            thread.joining = false;
        }
        if (!thread.waiting) return true;
        while (!thread.awaited.empty()) {
            const Receive& next = thread.awaited.front();
            auto& channel = on_the_way_[{next.from, thread.rank, thread.lane}];
            if (channel.empty()) return false;
            EXPECT_EQ(channel.front().bytes, next.bytes)
                << "from " << next.from << " to " << thread.rank << " of " << size_;
            traffic_.received[thread.rank] += channel.front().bytes;
            traffic_.known[thread.rank] |= channel.front().known;
            if (channel.front().taken != nullptr) *channel.front().taken = true;
            channel.pop_front();
            thread.awaited.pop_front();
        }
        for (const bool taken : thread.sends)
            if (!taken) return false;
        thread.sends.clear();
        thread.waiting = false;
        return true;
    }

    void advance(Thread& thread) {
        Step step;
        if (!thread.schedule || !thread.schedule.next(step)) {
            thread.ended = true;
            EXPECT_TRUE(thread.awaited.empty() && thread.ahead.empty() && thread.started.empty())
                << "rank " << thread.rank << " of " << size_ << " ends without a wait";
            return;
        }
        if (is_addressed(step)) {
            EXPECT_LT(step.peer, size_) << "rank " << thread.rank;
            EXPECT_NE(step.peer, thread.rank) << "of " << size_;
        }
        if (thread.ahead_due) {
            thread.awaited.insert(thread.awaited.end(), thread.ahead.begin(), thread.ahead.end());
            thread.ahead.clear();
            thread.ahead_due = false;
        }
        switch (step.kind) {
            case StepKind::send: send(thread, step); break;
            case StepKind::recv: thread.awaited.push_back({step.peer, step.bytes}); break;
            case StepKind::recv_ahead: thread.ahead.push_back({step.peer, step.bytes}); break;
            case StepKind::pack:
            case StepKind::datatype: break;
            case StepKind::combine: traffic_.combined[thread.rank] += step.bytes; break;
            case StepKind::start:
                EXPECT_TRUE(step.lane > 0 && step.lane < lanes);
                threads_.push_back(
                    std::make_unique<Thread>(thread.rank, step.lane, thread.schedule.take_started()));
                thread.started.push_back(threads_.back().get());
                break;
            case StepKind::join: thread.joining = true; break;
            case StepKind::release: break;
            case StepKind::wait:
                thread.ahead_due = !thread.ahead.empty();
                thread.waiting = true;
                break;
        }
    }

    void send(Thread& thread, const Step& step) {
        if (synchronous_) thread.sends.push_back(false);
        on_the_way_[{thread.rank, step.peer, thread.lane}].push_back(
            {step.bytes, traffic_.known[thread.rank], synchronous_ ? &thread.sends.back() : nullptr});
        traffic_.sent[thread.rank] += step.bytes;
        ++traffic_.messages;
    }

    Rank size_;
    bool synchronous_;
    Traffic traffic_;
    std::vector<std::unique_ptr<Thread>> threads_;
    std::map<std::tuple<Rank, Rank, std::uint8_t>, std::deque<Message>> on_the_way_;
};

/// Both with buffered and with synchronous sends; the traffic is the same.
inline Traffic run(const Maker& make, Rank size) {
    RankRunner(make, size, true).run();
    return RankRunner(make, size, false).run();
}

}  // namespace linkworth::replay::collectives
