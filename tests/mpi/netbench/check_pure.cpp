// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Checks of what computes without an MPI, on numbers worked out by hand; prints nothing when all hold.
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "beff_plan.hpp"
#include "hpcc_plan.hpp"
#include "json.hpp"
#include "members.hpp"
#include "rings.hpp"
#include "settings.hpp"
#include "statistics.hpp"
#include "work.hpp"

using namespace linkworth::netbench;

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("%s\n", what);
    ++failures;
}

bool close(double value, double expected, double tolerance = 1e-9) {
    return std::abs(value - expected) <= tolerance * std::abs(expected);
}

void averages() {
    expect(close(logarithmic_average(std::array{1.0, 100.0}), 10.0),
           "logarithmic average of 1 and 100 is 10");
    // Patterns' plain averages over lengths: 2 and 8 for rings, 4 and 9 for random ones.
    const Bandwidths rings{{1.0, 3.0}, {6.0, 10.0}}, random{{4.0, 4.0}, {8.0, 10.0}};
    expect(close(pattern_average(rings), 4.0), "rings: sqrt(2 * 8) is 4");
    expect(close(pattern_average(random), 6.0), "random: sqrt(4 * 9) is 6");
    expect(close(effective_bandwidth(rings, random), std::sqrt(24.0)), "b_eff: sqrt(4 * 6)");
    const auto lengths = beff_lengths(1 << 20);
    expect(lengths.size() == 21, "21 lengths");
    expect(lengths[12] == 4096 && lengths[16] == 65536 && lengths[20] == 1 << 20, "8 steps of a factor of 2");
    expect(beff_longest(64.0 * (1LL << 30)) == 128 << 20, "never above 128 MiB");
    expect(beff_longest(1LL << 30) == 8 << 20, "1 GiB / 128");
}

void hpcc_plan() {
    expect(longer_loop(1) == 2 && longer_loop(3) == 4 && longer_loop(8) == 12 && longer_loop(12) == 18,
           "half as many more, at least one");
    expect(pair_stride(2, 1e-4, 10.0) == 1, "time for all pairs");
    expect(pair_stride(4, 1000.0, 10.0) == 1, "up to five ranks take part whatever it costs");
    expect(pair_stride(10, 1000.0, 10.0) == 3, "every second one would be half of a node of two");
    expect(pair_stride(42, 1000.0, 10.0) == 11, "five of 42: every 9th, but that is no prime");
    expect(pair_stride(1000, 1.0, 100.0) == 101, "time for 10 x 10 pairs: every 100th");
}

void ring_patterns() {
    expect(ring_sizes(2) == std::vector<int>{2, 2, 2, 2, 2, 2}, "two ranks: rings of two only");
    expect(ring_sizes(100) == std::vector<int>{2, 4, 8, 25, 50, 100}, "sizes for 100 ranks");
    const std::vector<int> order{4, 3, 2, 1, 0};
    const auto five = rings(order, 2);  // two rings: 4 3, and 2 1 0
    expect(five[4] == Neighbours{3, 3} && five[3] == Neighbours{4, 4}, "a ring of two");
    expect(five[2] == Neighbours{0, 1} && five[1] == Neighbours{2, 0} && five[0] == Neighbours{1, 2},
           "a ring of three");
    for (const int ranks : {2, 3, 7, 24, 33})
        for (const int size : ring_sizes(ranks)) {
            const auto order = shuffled(ranks, 7);
            expect(std::set<int>(order.begin(), order.end()).size() == static_cast<std::size_t>(ranks),
                   "a permutation");
            const auto neighbours = rings(order, size);
            for (int rank = 0; rank < ranks; ++rank) {
                const Neighbours mine = neighbours[static_cast<std::size_t>(rank)];
                expect(neighbours[static_cast<std::size_t>(mine.right)].left == rank,
                       "my right one's left is me");
                expect(mine.right != rank, "nobody is alone");
            }
        }
}

void statistics() {
    // Mean 5, squared distances 9+1+1+1+0+0+4+16 = 32: deviation sqrt(32 / 7).
    const std::array<double, 8> few{2, 4, 4, 4, 5, 5, 7, 9};
    const Summary summary = summarise(few);
    expect(close(summary.mean, 5.0) && close(summary.median, 4.5) && close(summary.minimum, 2.0),
           "mean, median, minimum");
    expect(close(summary.deviation, std::sqrt(32.0 / 7.0)) && close(summary.p99, 9.0), "deviation, p99");
    // t(7) = 2.365 (tables).
    expect(close(summary.half_width, 2.365 * std::sqrt(32.0 / 7.0 / 8.0) / 5.0, 1e-3), "half-width");
    expect(close(student_95(4), 2.776, 2e-3) && close(student_95(19), 2.093, 1e-3), "t(4), t(19)");
    expect(std::isinf(summarise(std::array{1.0}).half_width), "nothing is known of one sample");
    // Median 5, absolute deviations' median 1: 3 scaled ones are 4.45.
    expect(summarise(std::array<double, 7>{4, 5, 6, 4, 6, 9.4, 30}).outliers == 1, "one outlier");
    std::vector<double> rising, calm;
    for (int i = 0; i < 400; ++i) {
        const double noise = (i * 7919 % 101) / 1010.0;
        rising.push_back(1.0 + i / 1000.0 + noise);
        calm.push_back(1.0 + noise);
    }
    const Summary up = summarise(rising);
    expect(up.drift_is_significant && close(up.drift, 0.3 / (up.mean - 0.15), 0.02),
           "a drift is found with its size");
    std::vector<double> falling(400, 1.0);
    for (std::size_t i = 0; i < falling.size(); ++i) falling[i] += 50.0 / (1.0 + std::exp2(i / 40.0));
    const Summary down = summarise(falling);
    expect(down.drift_is_significant && down.drift > -1.0 && down.drift < -0.9,
           "no time falls by over 100 %");
    expect(!summarise(calm).drift_is_significant, "noise is no drift");
}

std::vector<int> members(Among among, Team team, const std::vector<int>& nodes) {
    return choose_members(among, team, nodes);
}

bool refused(Among among, Team team, const std::vector<int>& nodes) {
    try {
        choose_members(among, team, nodes);
    } catch (const UsageError&) {
        return true;
    }
    return false;
}

void who_takes_part() {
    using V = std::vector<int>;
    const V one{0, 0, 0}, two{0, 0, 1, 1}, uneven{0, 1, 0, 1, 1};
    expect(members(Among::automatic, Team::pair, one) == V{0, 1}, "a pair in the only node");
    expect(members(Among::automatic, Team::pair, two) == V{0, 2}, "a pair across nodes where there are two");
    expect(members(Among::pair_in_node, Team::pair, two) == V{0, 1}, "a pair in one of two nodes");
    expect(members(Among::automatic, Team::two_sides, one) == V{0, 1}, "halves of an odd node");
    expect(members(Among::automatic, Team::two_sides, uneven) == V{0, 2, 1, 3}, "node against node");
    expect(
        members(Among::node, Team::any, two) == V{0, 1} && members(Among::all, Team::any, one) == V{0, 1, 2},
        "all");
    expect(refused(Among::pair_across_nodes, Team::pair, one), "no pair across nodes on one node");
    expect(refused(Among::pair_in_node, Team::pair, {0, 1}), "no pair in a node of one rank");
    expect(refused(Among::node, Team::pair, two), "a pair is not a node");
    expect(refused(Among::automatic, Team::pair, {0}), "one rank is no pair");
}

std::string refusal(std::vector<const char*> words) {
    try {
        parse_settings(static_cast<int>(words.size()), words.data());
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

void command_line() {
    using M = std::vector<Method>;
    const std::array plain{"lw-netbench", "beff"};
    expect(parse_settings(2, plain.data()).methods ==
               M{Method::sendrecv, Method::alltoallv, Method::nonblocking},
           "all methods of b_eff");
    const std::array some{"lw-netbench", "beff", "--methods", "nonblocking,sendrecv"};
    expect(parse_settings(4, some.data()).methods == M{Method::nonblocking, Method::sendrecv},
           "some methods of b_eff");
    expect(
        refusal({"lw-netbench", "beff", "--methods", "sendrecv,"}).find("cannot be ''") != std::string::npos,
        "no method after a comma");
    expect(refusal({"lw-netbench", "beff", "--methods", "put"}).find("cannot be 'put'") != std::string::npos,
           "an unknown method");
}

}  // namespace

int main() {
    command_line();
    averages();
    hpcc_plan();
    ring_patterns();
    statistics();
    who_takes_part();
    expect(quoted("a\"b\\\n") == "\"a\\\"b\\\\\\u000a\"", "strings are escaped");
    expect(JsonLine().count("a", 1).number("b", INFINITY).line() == "{\"a\":1,\"b\":null}\n",
           "no infinity in JSON");
    compute(1000);
    return failures == 0 ? 0 : 1;
}
