// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <random>

#include "calls/pool.hpp"
#include "calls/request_table.hpp"

namespace linkworth::replay {
namespace {

/// The operation of a request that must be live.
std::uint32_t taken(RequestTable& table, std::uint64_t number) {
    std::uint32_t operation = none;
    EXPECT_TRUE(table.take(number, operation)) << number;
    return operation;
}

bool is_live(const RequestTable& table, std::uint64_t number) {
    std::uint32_t operation = none;
    return table.find(number, operation);
}

TEST(RequestTable, AgreesWithAMapWhateverEndsFirst) {
    RequestTable table;
    std::map<std::uint64_t, std::uint32_t> live;
    std::mt19937 random(1);
    for (std::uint64_t number = 0; number < 300'000; ++number) {
        const auto operation = static_cast<std::uint32_t>(number % 1000);
        table.insert(number, operation);
        live.emplace(number, operation);
        // Most end at once; one of a thousand stays, and is more than a ring of 65,536 behind at the end.
        while (live.size() > 20 + number / 1000) {
            const auto late = std::prev(live.end(), 1 + static_cast<std::ptrdiff_t>(random() % 20));
            ASSERT_EQ(taken(table, late->first), late->second);
            ASSERT_FALSE(is_live(table, late->first));
            live.erase(late);
        }
    }
    ASSERT_LT(live.begin()->first, 300'000 - 65'536);
    for (const auto& [number, operation] : live) {
        ASSERT_TRUE(is_live(table, number));
        ASSERT_EQ(taken(table, number), operation);
        std::uint32_t gone = none;
        ASSERT_FALSE(table.take(number, gone));
    }
}

TEST(RequestTable, NumbersOfADamagedTraceMayJumpAheadAndTurnBack) {
    RequestTable table;
    table.insert(5, 50);
    table.insert(std::uint64_t{1} << 60, 60);
    table.insert(7, 70);
    table.insert((std::uint64_t{1} << 60) + 1, 61);
    EXPECT_EQ(taken(table, 7), 70U);
    EXPECT_EQ(taken(table, 5), 50U);
    EXPECT_EQ(taken(table, std::uint64_t{1} << 60), 60U);
    EXPECT_EQ(taken(table, (std::uint64_t{1} << 60) + 1), 61U);
    EXPECT_FALSE(is_live(table, 6));
}

TEST(RequestTable, ARequestWithoutAnOperationIsLive) {
    RequestTable table;
    table.insert(0, none);
    EXPECT_TRUE(is_live(table, 0));
    EXPECT_EQ(taken(table, 0), none);
    EXPECT_FALSE(is_live(table, 0));
}

}  // namespace
}  // namespace linkworth::replay
