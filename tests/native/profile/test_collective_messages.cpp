// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/collective_messages.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace linkworth::tests {
namespace {

using profile::Group;
using profile::UniformCollective;
using tracefile::Collective;

using Messages = std::map<std::pair<int, int>, std::uint64_t>;

Group group_of(int size, int own) {
    static const std::vector<std::int32_t> ranks = [] {
        std::vector<std::int32_t> all(1024);
        std::iota(all.begin(), all.end(), 0);
        return all;
    }();
    Group group;
    group.members = std::span(ranks).first(static_cast<std::size_t>(size));
    group.own_rank = own;
    return group;
}

/// Bytes from rank to rank when all ranks of the communicator make the call.
Messages all_messages(int size, const UniformCollective& call) {
    Messages messages;
    for (int rank = 0; rank < size; ++rank) {
        profile::uniform_messages(call, group_of(size, rank),
                                  [&messages, rank](std::int32_t to, std::uint64_t bytes) {
                                      EXPECT_NE(rank, to) << "no rank sends to itself";
                                      messages[{rank, to}] += bytes;
                                  });
    }
    return messages;
}

std::uint64_t total(const Messages& messages) {
    std::uint64_t sum = 0;
    for (const auto& [pair, bytes] : messages) {
        sum += bytes;
    }
    return sum;
}

TEST(CollectiveMessages, ABroadcastReachesEveryRankOnce) {
    for (int size = 1; size <= 17; ++size) {
        for (int root : {0, size / 2, size - 1}) {
            const Messages messages = all_messages(size, {Collective::bcast, root, 10});
            std::map<int, int> received;
            for (const auto& [pair, bytes] : messages) {
                ++received[pair.second];
            }
            EXPECT_EQ(received.size(), static_cast<std::size_t>(size - 1));
            EXPECT_EQ(received.count(root), 0U);
            EXPECT_EQ(total(messages), static_cast<std::uint64_t>(10 * (size - 1)));
        }
    }
}

TEST(CollectiveMessages, AReductionIsTheBroadcastBackwards) {
    for (int size : {1, 2, 5, 8, 13}) {
        Messages mirrored;
        for (const auto& [pair, bytes] : all_messages(size, {Collective::bcast, size - 1, 7})) {
            mirrored[{pair.second, pair.first}] = bytes;
        }
        EXPECT_EQ(all_messages(size, {Collective::reduce, size - 1, 7}), mirrored);
    }
}

TEST(CollectiveMessages, TotalsAreThoseOfTheAlgorithms) {
    // By hand: 6 ranks, 12 bytes each.
    EXPECT_EQ(total(all_messages(6, {Collective::alltoall, -1, 12})), 6U * 5 * 12);
    EXPECT_EQ(total(all_messages(6, {Collective::allgather, -1, 12})), 6U * 5 * 12);
    EXPECT_EQ(total(all_messages(6, {Collective::gather, 2, 12})), 5U * 12);
    EXPECT_EQ(total(all_messages(6, {Collective::scatter, 2, 12})), 5U * 12);
    EXPECT_EQ(total(all_messages(6, {Collective::scan, -1, 12})), 5U * 12);
    EXPECT_EQ(total(all_messages(6, {Collective::reduce_scatter_block, -1, 12})), 6U * 5 * 2);
    // 4 ranks double recursively in 2 steps; 2 ranks give theirs and get the result.
    EXPECT_EQ(total(all_messages(6, {Collective::allreduce, -1, 12})), (4U * 2 + 4) * 12);
    EXPECT_EQ(total(all_messages(6, {Collective::barrier, -1, 0})), 0U);
    EXPECT_EQ(all_messages(6, {Collective::barrier, -1, 0}).size(), 6U * 3);
}

TEST(CollectiveMessages, ListsOfCountsAreFollowed) {
    tracefile::Shape shape;
    shape.collective = Collective::alltoallv;
    shape.send_counts = {5, 6, 0, 8};
    Messages messages;
    const auto take = [&messages](std::int32_t to, std::uint64_t bytes) { messages[{1, to}] += bytes; };
    profile::listed_messages(shape, group_of(4, 1), take);
    EXPECT_EQ(messages, (Messages{{{1, 0}, 5}, {{1, 3}, 8}}));
    messages.clear();
    shape.collective = Collective::allgatherv;
    shape.recv_counts = {1, 2, 4, 8};
    profile::listed_messages(shape, group_of(4, 1), take);
    EXPECT_EQ(messages, (Messages{{{1, 2}, 11}})) << "all pieces but the neighbour's own go round the ring";
}

TEST(CollectiveMessages, NeighboursGetTheirPieces) {
    Group group = group_of(4, 1);
    group.destinations = {0, tracefile::proc_null, 3, 1};
    tracefile::Shape shape;
    shape.collective = Collective::neighbor_allgather;
    shape.bytes = 9;
    std::map<int, std::uint64_t> sent;
    const auto count = [&sent](std::int32_t to, std::uint64_t bytes) { sent[to] += bytes; };
    profile::listed_messages(shape, group, count);
    EXPECT_EQ(sent, (std::map<int, std::uint64_t>{{0, 9}, {3, 9}}));
    shape.collective = Collective::neighbor_alltoallw;
    shape.send_counts = {1, 2, 30, 4};
    sent.clear();
    profile::listed_messages(shape, group, count);
    EXPECT_EQ(sent, (std::map<int, std::uint64_t>{{0, 1}, {3, 30}}));
}

}  // namespace
}  // namespace linkworth::tests
