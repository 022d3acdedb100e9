// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Every collective algorithm, for every rank count up to 33: what one rank sends is what the other receives,
/// in order, and the data that must move does move.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "replay/collectives/algorithms.hpp"

namespace linkworth::replay::collectives {
namespace {

constexpr Rank most_ranks = 33;

using Maker = std::function<Schedule(Rank me, Rank size)>;

struct Traffic {
    std::vector<Bytes> sent;
    std::vector<Bytes> received;
    std::uint64_t messages = 0;
};

/// Runs all ranks' schedules until none can go on. Fails where a receive finds other bytes than were sent,
/// where a message is left over, or where ranks wait for ever.
Traffic run(const Maker& make, Rank size) {
    std::vector<Schedule> schedules;
    std::vector<std::vector<std::pair<Rank, Bytes>>> awaited(size);
    std::vector<bool> ended(size, false);
    std::map<std::pair<Rank, Rank>, std::deque<Bytes>> on_the_way;
    Traffic traffic{std::vector<Bytes>(size), std::vector<Bytes>(size)};
    for (Rank rank = 0; rank < size; ++rank) schedules.push_back(make(rank, size));

    for (bool moved = true; moved;) {
        moved = false;
        for (Rank rank = 0; rank < size; ++rank) {
            for (;;) {
                if (ended[rank]) break;
                auto& waits = awaited[rank];
                bool blocked = false;
                for (auto wait = waits.begin(); wait != waits.end();) {
                    auto& channel = on_the_way[{wait->first, rank}];
                    if (channel.empty()) {
                        blocked = true;
                        break;
                    }
                    EXPECT_EQ(channel.front(), wait->second)
                        << "from " << wait->first << " to " << rank << " of " << size;
                    traffic.received[rank] += channel.front();
                    channel.pop_front();
                    wait = waits.erase(wait);
                    moved = true;
                }
                if (blocked) break;
                Step step;
                bool waiting = false;
                while (!waiting) {
                    if (!schedules[rank].next(step)) {
                        ended[rank] = true;
                        moved = true;
                        EXPECT_TRUE(waits.empty())
                            << "rank " << rank << " of " << size << " ends without a wait";
                        break;
                    }
                    EXPECT_TRUE(step.kind == StepKind::wait || step.peer < size);
                    EXPECT_TRUE(step.kind == StepKind::wait || step.peer != rank);
                    switch (step.kind) {
                        case StepKind::send:
                            on_the_way[{rank, step.peer}].push_back(step.bytes);
                            traffic.sent[rank] += step.bytes;
                            ++traffic.messages;
                            moved = true;
                            break;
                        case StepKind::recv:
                            waits.emplace_back(step.peer, step.bytes);
                            break;
                        case StepKind::wait:
                            waiting = true;
                            break;
                    }
                }
            }
        }
    }
    for (Rank rank = 0; rank < size; ++rank) EXPECT_TRUE(ended[rank]) << "rank " << rank << " of " << size;
    for (const auto& [pair, channel] : on_the_way)
        EXPECT_TRUE(channel.empty()) << pair.first << " to " << pair.second << " of " << size;
    return traffic;
}

Bytes total(const std::vector<Bytes>& bytes) { return std::accumulate(bytes.begin(), bytes.end(), Bytes{0}); }

class AnyRankCount : public testing::TestWithParam<Rank> {};
INSTANTIATE_TEST_SUITE_P(Ranks, AnyRankCount, testing::Range<Rank>(1, most_ranks + 1));

TEST_P(AnyRankCount, BarrierHasTheSameRoundsOnEveryRank) {
    const Rank size = GetParam();
    Rank rounds = 0;
    while ((Rank{1} << rounds) < size) ++rounds;
    EXPECT_EQ(run(barrier_dissemination, size).messages, std::uint64_t{size} * rounds);
}

TEST_P(AnyRankCount, RootedTreesReachAllRanksFromAnyRoot) {
    const Rank size = GetParam();
    for (Rank root = 0; root < size; ++root) {
        const auto bcast = run([&](Rank me, Rank n) { return bcast_binomial(me, n, root, 100); }, size);
        for (Rank rank = 0; rank < size; ++rank) EXPECT_EQ(bcast.received[rank], rank == root ? 0 : 100);
        const auto reduce = run([&](Rank me, Rank n) { return reduce_binomial(me, n, root, 100); }, size);
        for (Rank rank = 0; rank < size; ++rank) EXPECT_EQ(reduce.sent[rank], rank == root ? 0 : 100);
        const auto gather = run([&](Rank me, Rank n) { return gather_binomial(me, n, root, 7); }, size);
        EXPECT_EQ(gather.received[root], Bytes{7} * (size - 1));
        const auto scatter = run([&](Rank me, Rank n) { return scatter_binomial(me, n, root, 7); }, size);
        EXPECT_EQ(scatter.sent[root], Bytes{7} * (size - 1));
    }
}

TEST_P(AnyRankCount, LinearTreesUseTheRootsCounts) {
    const Rank size = GetParam();
    Counts counts(size);
    std::iota(counts.begin(), counts.end(), Bytes{10});
    const Rank root = size / 2;
    const auto own = [&](Rank me) { return counts[me]; };
    const auto gather = run(
        [&](Rank me, Rank n) { return gather_linear(me, n, root, own(me), me == root ? counts : Counts{}); },
        size);
    EXPECT_EQ(gather.received[root], total(counts) - counts[root]);
    const auto scatter = run(
        [&](Rank me, Rank n) { return scatter_linear(me, n, root, own(me), me == root ? counts : Counts{}); },
        size);
    EXPECT_EQ(scatter.sent[root], total(counts) - counts[root]);
}

TEST_P(AnyRankCount, ScatterAllgatherBroadcastsEverything) {
    const Rank size = GetParam();
    for (const Bytes bytes : {Bytes{1}, Bytes{1000}, Bytes{1 << 20}}) {
        for (const Rank root : {Rank{0}, size - 1}) {
            const auto ring = [&](Rank me, Rank n) {
                return bcast_scatter_allgather(me, n, root, bytes, true);
            };
            const auto traffic = run(ring, size);
            for (Rank rank = 0; rank < size; ++rank) {
                if (rank != root) {
                    EXPECT_GE(traffic.received[rank], bytes - (bytes + size - 1) / size);
                }
            }
            if ((size & (size - 1)) == 0)
                run([&](Rank me, Rank n) { return bcast_scatter_allgather(me, n, root, bytes, false); },
                    size);
        }
    }
}

TEST_P(AnyRankCount, AllReductionsAgree) {
    const Rank size = GetParam();
    for (const Bytes bytes : {Bytes{8}, Bytes{1001}, Bytes{1 << 20}}) {
        run([&](Rank me, Rank n) { return allreduce_recursive_doubling(me, n, bytes); }, size);
        const auto halving = run([&](Rank me, Rank n) { return allreduce_rabenseifner(me, n, bytes); }, size);
        if ((size & (size - 1)) == 0 && bytes % size == 0) {
            for (const Bytes sent : halving.sent) EXPECT_EQ(sent, 2 * (bytes - bytes / size));
        }
        for (Rank root = 0; root < size; ++root) {
            const auto reduce =
                run([&](Rank me, Rank n) { return reduce_scatter_gather(me, n, root, bytes); }, size);
            if (size > 1) {
                EXPECT_GT(reduce.received[root], 0U);
            }
        }
        run([&](Rank me, Rank n) { return reduce_scatter_halving(me, n, bytes); }, size);
        run([&](Rank me, Rank n) { return scan_recursive_doubling(me, n, bytes); }, size);
    }
}

TEST_P(AnyRankCount, EveryRankGathersEveryOthersPiece) {
    const Rank size = GetParam();
    Counts counts(size);
    std::iota(counts.begin(), counts.end(), Bytes{1});
    const auto ring = run([&](Rank me, Rank n) { return allgather_ring(me, n, counts); }, size);
    for (Rank rank = 0; rank < size; ++rank) EXPECT_EQ(ring.received[rank], total(counts) - counts[rank]);
    const auto bruck = run([&](Rank me, Rank n) { return allgather_bruck(me, n, 5); }, size);
    for (const Bytes received : bruck.received) EXPECT_EQ(received, Bytes{5} * (size - 1));
    if ((size & (size - 1)) != 0) return;
    const auto doubling = run([&](Rank me, Rank n) { return allgather_recursive_doubling(me, n, 5); }, size);
    for (const Bytes received : doubling.received) EXPECT_EQ(received, Bytes{5} * (size - 1));
}

TEST_P(AnyRankCount, EveryRankExchangesWithEveryOther) {
    const Rank size = GetParam();
    const Bytes expected = Bytes{5} * (size - 1);
    for (const Rank window : {Rank{1}, Rank{4}, Rank{32}}) {
        const auto linear = run([&](Rank me, Rank n) { return alltoall_linear(me, n, 5, window); }, size);
        for (const Bytes received : linear.received) EXPECT_EQ(received, expected);
    }
    const auto pairwise = run([&](Rank me, Rank n) { return alltoall_pairwise(me, n, 5); }, size);
    for (const Bytes received : pairwise.received) EXPECT_EQ(received, expected);
    const auto bruck = run([&](Rank me, Rank n) { return alltoall_bruck(me, n, 5); }, size);
    for (const Bytes received : bruck.received) EXPECT_GE(received, expected);
    const auto reduced =
        run([&](Rank me, Rank n) { return reduce_scatter_pairwise(me, n, Counts(n, 5)); }, size);
    for (const Bytes received : reduced.received) EXPECT_EQ(received, expected);

    const auto piece = [](Rank from, Rank to) { return Bytes{100} * from + to; };
    const auto vector = run(
        [&](Rank me, Rank n) {
            Counts sends(n);
            Counts receives(n);
            for (Rank peer = 0; peer < n; ++peer) {
                sends[peer] = piece(me, peer);
                receives[peer] = piece(peer, me);
            }
            return alltoallv_pairwise(me, n, std::move(sends), std::move(receives));
        },
        size);
    for (Rank rank = 0; rank < size; ++rank) {
        Bytes sum = 0;
        for (Rank peer = 0; peer < size; ++peer)
            if (peer != rank) sum += piece(peer, rank);
        EXPECT_EQ(vector.received[rank], sum);
    }
}

}  // namespace
}  // namespace linkworth::replay::collectives
