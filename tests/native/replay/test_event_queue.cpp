// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Compares the queue's look-ahead with the order in which events leave it if none is pushed meanwhile.
void look_ahead(const EventQueue& queue, std::vector<Pushed> waiting) {
    ASSERT_GE(queue.known(), std::min<std::size_t>(waiting.size(), EventQueue::look_ahead));
    for (std::uint32_t ahead = 0; ahead < std::min(queue.known(), EventQueue::look_ahead); ++ahead)
        EXPECT_EQ(queue.next(ahead).index, take_first(waiting));
}

/// Seconds of what is pushed at a time.
using Times = std::function<double(double now, std::mt19937& random)>;

/// Pushes and pops at random, more of the one and then of the other, and compares with the plain list.
void compare(const Times& times) {
    for (unsigned seed = 0; seed < 10; ++seed) {
        EventQueue queue;
        std::mt19937 random(seed);
        std::vector<Pushed> waiting;
        double now = 0;
        for (std::uint32_t step = 0; step < 3000; ++step) {
            if (waiting.empty() || random() % 10 < (step / 500 % 2 == 0 ? 7 : 4)) {
                const double seconds = times(now, random);
                queue.push(seconds, Happening::parcel, step);
                waiting.emplace_back(seconds, step);
            } else {
                look_ahead(queue, waiting);
                now = queue.next_seconds();
                EXPECT_EQ(queue.pop().index, take_first(waiting));
            }
        }
        while (!waiting.empty()) EXPECT_EQ(queue.pop().index, take_first(waiting));
        EXPECT_TRUE(queue.empty());
    }
}

double between(double low, double high, std::mt19937& random) {
    return std::uniform_real_distribution(low, high)(random);
}

TEST(EventQueue, GivesWhatIsDueFirstAndEqualTimesInTheirOrder) {
    compare([](double /*now*/, std::mt19937& random) { return static_cast<double>(random() % 20) * 1e-6; });
}

TEST(EventQueue, KeepsManyOfOneTimeInTheirOrder) {
    compare([](double now, std::mt19937& random) { return random() % 100 == 0 ? now + 1e-3 : now; });
}

TEST(EventQueue, HoldsWhatIsDueSoonBesideWhatIsFarAway) {
    compare([](double now, std::mt19937& random) {
        return now + (random() % 3 == 0 ? between(1, 1000, random) : between(0, 1e-6, random));
    });
}

TEST(EventQueue, TakesTimesOfAnyMagnitude) {
    compare([](double now, std::mt19937& random) { return now + std::exp2(between(-80, 20, random)); });
}

TEST(EventQueue, TakesTimesThatHavePassed) {
    compare([](double now, std::mt19937& random) { return between(now / 2, now + 1e-6, random); });
}

TEST(EventQueue, TakesWhatComesEverEarlier) {
    double earliest = 1;
    compare([&earliest](double /*now*/, std::mt19937& /*random*/) { return earliest *= 0.999; });
}

TEST(EventQueue, TakesMinusZeroForZero) {
    EventQueue queue;
    queue.push(0.0, Happening::resume, 1);
    queue.push(-0.0, Happening::port, 2);
    queue.push(1e-300, Happening::whole, (1U << EventQueue::index_bits) - 1);
    EXPECT_EQ(queue.next_seconds(), 0.0);
    EXPECT_EQ(queue.pop().index, 1U);
    const Due second = queue.pop();
    EXPECT_EQ(second.index, 2U);
    EXPECT_EQ(second.what, Happening::port);
    const Due third = queue.pop();
    EXPECT_EQ(third.index, (1U << EventQueue::index_bits) - 1);
    EXPECT_EQ(third.what, Happening::whole);
}

}  // namespace
}  // namespace linkworth::replay
