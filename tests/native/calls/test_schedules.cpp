// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Every collective algorithm, for every rank count up to 33: what one rank sends is what the other receives,
/// in order, and everybody ends with the data that the collective must give.
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "calls/collectives/build.hpp"
#include "schedule_runner.hpp"

namespace linkworth::replay::collectives {
namespace {

constexpr Rank most_ranks = 33;

bool is_rooted(Collective what) {
    return what == Collective::bcast || what == Collective::reduce || what == Collective::gather ||
           what == Collective::gatherv || what == Collective::scatter || what == Collective::scatterv;
}

/// An operation on `size` ranks with its lists, and who must know whose data afterwards.
struct Case {
    Collective what;
    Rank size;
    Rank root;
    Bytes bytes;
    std::vector<Counts> sends;     ///< [rank], where the collective has them
    std::vector<Counts> receives;  ///< [rank]

    Case(Collective collective, Rank ranks, Rank its_root, Bytes its_bytes)
        : what(collective), size(ranks), root(its_root), bytes(its_bytes), sends(ranks), receives(ranks) {
        for (Rank me = 0; me < size; ++me) {
            for (Rank peer = 0; peer < size; ++peer) {
                switch (what) {
                    case Collective::alltoallv:
                    case Collective::alltoallw:
                        sends[me].push_back(piece(me, peer));
                        receives[me].push_back(piece(peer, me));
                        break;
                    case Collective::allgatherv:
                    case Collective::reduce_scatter:
                    case Collective::gatherv: receives[me].push_back(piece(peer, 0)); break;
                    case Collective::scatterv: sends[me].push_back(piece(peer, 0)); break;
                    default: break;
                }
            }
        }
    }

    /// Different for all pairs, and never nothing.
    Bytes piece(Rank from, Rank to) const { return bytes + 8 * (from * 3 + to); }

    Operation of(Rank me) const {
        Operation operation;
        operation.what = what;
        operation.me = me;
        operation.size = size;
        operation.root = root;
        operation.element = 8;
        operation.bytes = bytes;
        operation.sends = sends[me].empty() ? nullptr : &sends[me];
        operation.receives = receives[me].empty() ? nullptr : &receives[me];
        if (what == Collective::gatherv || what == Collective::scatterv) operation.own = piece(me, 0);
        if (what == Collective::reduce_scatter) operation.bytes = total_of(receives[me]);
        if (what == Collective::reduce_scatter_block) operation.bytes = bytes * size;
        return operation;
    }

    Known must_know(Rank me) const {
        switch (what) {
            case Collective::bcast:
            case Collective::scatter:
            case Collective::scatterv: return Known{1} << root;
            case Collective::reduce:
            case Collective::gather:
            case Collective::gatherv: return me == root ? everyone(size) : 0;
            case Collective::scan: return everyone(me + 1);
            case Collective::exscan: return everyone(me);
            default: return everyone(size);
        }
    }

    /// Least bytes that must come to a rank from outside.
    Bytes must_receive(Rank me) const {
        switch (what) {
            case Collective::bcast: return me == root ? 0 : bytes;
            case Collective::reduce: return me == root && size > 1 ? bytes : 0;
            case Collective::allreduce: return size > 1 ? bytes : 0;
            case Collective::scan:
            case Collective::exscan: return me > 0 ? bytes : 0;
            case Collective::gather: return me == root ? bytes * (size - 1) : 0;
            case Collective::gatherv: return me == root ? total_of(receives[me]) - receives[me][me] : 0;
            case Collective::scatter: return me == root ? 0 : bytes;
            case Collective::scatterv: return me == root ? 0 : piece(me, 0);
            case Collective::allgather:
            case Collective::alltoall: return bytes * (size - 1);
            case Collective::allgatherv:
            case Collective::alltoallv:
            case Collective::alltoallw: return total_of(receives[me]) - receives[me][me];
            case Collective::reduce_scatter: return size > 1 ? receives[me][me] : 0;
            case Collective::reduce_scatter_block: return size > 1 ? bytes : 0;
            default: return 0;
        }
    }

    void check(const Traffic& traffic, const std::string& how) const {
        const bool reduces = what == Collective::reduce || what == Collective::allreduce ||
                             what == Collective::reduce_scatter || what == Collective::reduce_scatter_block;
        for (Rank me = 0; me < size; ++me) {
            EXPECT_EQ(traffic.known[me] & must_know(me), must_know(me))
                << how << ": rank " << me << " of " << size << ", root " << root << ", " << bytes << " B";
            EXPECT_GE(traffic.received[me], must_receive(me))
                << how << ": rank " << me << " of " << size << ", root " << root << ", " << bytes << " B";
        }
        // Every vector but one is combined into another one.
        if (reduces) {
            const Bytes vector = of(0).bytes;
            EXPECT_GE(total(traffic.combined), vector * (size - 1)) << how << " on " << size;
        }
    }
};

class AnyRankCount : public testing::TestWithParam<Rank> {};
// Every count up to 17, then two that are no power of two: the larger ones cost most of the time.
INSTANTIATE_TEST_SUITE_P(Ranks, AnyRankCount, testing::Range<Rank>(1, 18));
INSTANTIATE_TEST_SUITE_P(MoreRanks, AnyRankCount, testing::Values<Rank>(24, most_ranks));

class SomeRankCount : public testing::TestWithParam<Rank> {};
// A library takes the algorithms above. The counts are the powers of two and their neighbours, where it
// decides anew.
INSTANTIATE_TEST_SUITE_P(Ranks, SomeRankCount,
                         testing::Values<Rank>(1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, most_ranks));

TEST_P(AnyRankCount, EveryAlgorithmDeliversWhatItsCollectiveMust) {
    const Rank size = GetParam();
    for (const NamedAlgorithm& named : named_algorithms()) {
        for (const Bytes bytes : {Bytes{8}, Bytes{1000}, Bytes{200000}}) {
            for (const Bytes segment : {Bytes{0}, Bytes{4096}}) {
                for (const Rank root : {Rank{0}, size / 2, size - 1}) {
                    if (root != 0 && !is_rooted(named.collective)) continue;
                    Rules rules;
                    rules.forced[named.collective] = {named.algorithm, segment, 4};
                    const Case wanted(named.collective, size, root, bytes);
                    const auto traffic = run([&](Rank me) { return build(rules, wanted.of(me)); }, size);
                    wanted.check(traffic, std::string(named.name));
                    if (size > 1) EXPECT_GT(traffic.messages, 0U) << named.name;
                }
            }
        }
    }
}

TEST_P(SomeRankCount, EveryLibraryDeliversOnAnyPlacement) {
    const Rank size = GetParam();
    std::vector<std::int32_t> members(size);
    std::iota(members.begin(), members.end(), 0);
    for (const Rank nodes : {Rank{2}, Rank{3}}) {
        for (const bool cyclic : {false, true}) {
            std::vector<std::uint32_t> node_of(size);
            for (Rank rank = 0; rank < size; ++rank)
                node_of[rank] = cyclic ? rank % nodes : rank * nodes / size;
            const Topology topology(members, node_of);
            for (const Library library : {Library::mpich, Library::mpich_flat, Library::openmpi_4_0,
                                          Library::openmpi_4_1, Library::openmpi_5}) {
                const Rules rules{library, {}};
                for (const bool nonblocking : {false, true}) {
                    for (const Bytes bytes : {Bytes{8}, Bytes{200000}}) {
                        for (int what = 1; what <= static_cast<int>(Collective::exscan); ++what) {
                            const Case wanted(static_cast<Collective>(what), size, size / 3, bytes);
                            const auto traffic = run(
                                [&](Rank me) {
                                    Operation operation = wanted.of(me);
                                    operation.topology = &topology;
                                    operation.nonblocking = nonblocking;
                                    return build(rules, operation);
                                },
                                size);
                            wanted.check(traffic, "collective " + std::to_string(what) + " of library " +
                                                      std::to_string(static_cast<int>(library)));
                        }
                    }
                }
            }
        }
    }
}

TEST_P(AnyRankCount, NodeAwareAlgorithmsCrossBetweenNodesOnce) {
    const Rank size = GetParam();
    if (size < 4) return;  // two nodes of two ranks are the least
    std::vector<std::int32_t> members(size);
    std::iota(members.begin(), members.end(), 0);
    std::vector<std::uint32_t> node_of(size);
    for (Rank rank = 0; rank < size; ++rank) node_of[rank] = rank * 2 / size;
    const Topology topology(members, node_of);
    for (const Rank root : {Rank{0}, size - 1}) {
        const Case wanted(Collective::bcast, size, root, 1000);
        Bytes crossing = 0;
        for (Rank me = 0; me < size; ++me) {
            Operation operation = wanted.of(me);
            operation.topology = &topology;
            Schedule schedule = build(Rules{Library::mpich, {}}, operation);
            for (Step step; schedule.next(step);)
                if (step.kind == StepKind::send && node_of[step.peer] != node_of[me]) crossing += step.bytes;
        }
        EXPECT_EQ(crossing, 1000U) << size << " ranks, root " << root;
    }
}

TEST_P(AnyRankCount, PowersOfTwoMoveTheLeastBytes) {
    const Rank size = GetParam();
    if (!std::has_single_bit(size) || size == 1) return;
    Rules rules;
    rules.forced[Collective::allreduce] = {Algorithm::rabenseifner, 0, 0};
    rules.forced[Collective::reduce_scatter_block] = {Algorithm::recursive_halving, 0, 0};
    const Bytes bytes = Bytes{8} * size * 100;
    const Case all(Collective::allreduce, size, 0, bytes);
    for (const Bytes sent : run([&](Rank me) { return build(rules, all.of(me)); }, size).sent)
        EXPECT_EQ(sent, 2 * (bytes - bytes / size));
    const Case scattered(Collective::reduce_scatter_block, size, 0, 800);
    for (const Bytes sent : run([&](Rank me) { return build(rules, scattered.of(me)); }, size).sent)
        EXPECT_EQ(sent, Bytes{800} * (size - 1));
}

TEST(EmptyCollectives, SendNothingButABarrier) {
    for (int what = 1; what <= static_cast<int>(Collective::exscan); ++what) {
        const auto collective = static_cast<Collective>(what);
        Operation operation;
        operation.what = collective;
        operation.size = 4;
        Schedule schedule = build(Rules{}, operation);
        Step step;
        EXPECT_EQ(schedule.next(step), collective == Collective::barrier) << what;
    }
}

}  // namespace
}  // namespace linkworth::replay::collectives
