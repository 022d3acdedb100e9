// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A sequence is read with its own loops, call by call, and with those of one that runs them otherwise.
#include <gtest/gtest.h>

#include <random>

#include "scale/fold.hpp"
#include "scale/parse.hpp"

namespace linkworth::scale {
namespace {

using Symbols = std::vector<std::int64_t>;

void positions(const Items& items, std::vector<std::size_t>& out) {
    for (const Item& item : items) {
        if (!item.is_loop) out.push_back(item.position);
        for (const Items& iteration : item.iterations) positions(iteration, out);
    }
}

/// Returns what a program of nested loops calls, each of which runs equally often every time.
Symbols program(std::mt19937& random, int depth, std::int64_t& sites) {
    Symbols out;
    for (auto left = 1 + random() % 3; left > 0; --left) {
        out.push_back(sites++);
        if (depth == 3 || random() % 2 == 0) continue;
        const Symbols body = program(random, depth + 1, sites);
        for (auto times = 1 + random() % 3; times > 0; --times)
            out.insert(out.end(), body.begin(), body.end());
    }
    return out;
}

TEST(Folding, EachProgramIsReadWithItsOwnLoops) {
    std::mt19937 random(7);
    for (int round = 0; round < 2000; ++round) {
        std::int64_t sites = 0;
        const Symbols symbols = program(random, 0, sites);
        const Grammar grammar = fold(symbols);
        const auto found = parse(grammar, std::vector<bool>(grammar.loops.size(), false), symbols);
        ASSERT_TRUE(std::holds_alternative<Items>(found)) << "round " << round;
        std::vector<std::size_t> order;
        positions(std::get<Items>(found), order);
        ASSERT_EQ(order.size(), symbols.size());
        for (std::size_t at = 0; at < order.size(); ++at) ASSERT_EQ(order[at], at);
    }
}

TEST(Folding, ALoopGivesBackWhatFollowsIt) {
    const Grammar grammar{{-1, 1, 2, 3}, {{1, 2}}};
    EXPECT_TRUE(std::holds_alternative<Items>(parse(grammar, {false}, {1, 2, 1, 2, 1, 2, 3})));
    EXPECT_EQ(std::get<std::size_t>(parse(grammar, {false}, {1, 2, 3})), 2U);
    EXPECT_TRUE(std::holds_alternative<Items>(parse(grammar, {true}, {1, 2, 3})));
    EXPECT_EQ(std::get<std::size_t>(parse(grammar, {true}, {1, 2, 4})), 2U);
}

}  // namespace
}  // namespace linkworth::scale
