// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "replay/event_queue.hpp"

namespace linkworth::replay {
namespace {

using Pushed = std::pair<double, std::uint32_t>;

/// Takes out what is due first by its time, of equal ones the first that was pushed.
std::uint32_t take_first(std::vector<Pushed>& waiting) {
    const auto first = std::min_element(waiting.begin(), waiting.end(),
                                        [](const Pushed& a, const Pushed& b) { return a.first < b.first; });
    const std::uint32_t index = first->second;
    waiting.erase(first);
    return index;
}

/// What the queue says of the next ones is what would come if nothing were pushed before.
void look_ahead(const EventQueue& queue, std::vector<Pushed> waiting) {
    ASSERT_EQ(queue.known(), std::min<std::size_t>(waiting.size(), EventQueue::look_ahead));
    for (std::uint32_t ahead = 0; ahead < queue.known(); ++ahead)
        EXPECT_EQ(queue.next(ahead).index, take_first(waiting));
}

/// Pushes and pops at random, with many equal times, and compares with the plain list.
void compare(EventQueue& queue, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Pushed> waiting;
    for (std::uint32_t step = 0; step < 3000; ++step) {
        if (waiting.empty() || random() % 5 < 3) {
            const double seconds = static_cast<double>(random() % 20) * 1e-6;
            queue.push(seconds, Happening::parcel, step);
            waiting.emplace_back(seconds, step);
        } else {
            look_ahead(queue, waiting);
            EXPECT_EQ(queue.pop().index, take_first(waiting));
        }
    }
    while (!waiting.empty()) EXPECT_EQ(queue.pop().index, take_first(waiting));
    EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, GivesWhatIsDueFirstAndEqualTimesInTheirOrder) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        EventQueue queue;
        compare(queue, seed);
    }
}

TEST(EventQueue, KeepsTheOrderWhenItsNumbersBeginAnew) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        EventQueue queue(0xffffffffU - 1000);
        compare(queue, seed);
    }
}

TEST(EventQueue, TakesMinusZeroForZero) {
    EventQueue queue;
    queue.push(0.0, Happening::resume, 1);
    queue.push(-0.0, Happening::port, 2);
    queue.push(1e-300, Happening::whole, (1U << 29U) - 1);
    EXPECT_EQ(queue.next_seconds(), 0.0);
    EXPECT_EQ(queue.pop().index, 1U);
    const Due second = queue.pop();
    EXPECT_EQ(second.index, 2U);
    EXPECT_EQ(second.what, Happening::port);
    const Due third = queue.pop();
    EXPECT_EQ(third.index, (1U << 29U) - 1);
    EXPECT_EQ(third.what, Happening::whole);
}

}  // namespace
}  // namespace linkworth::replay
