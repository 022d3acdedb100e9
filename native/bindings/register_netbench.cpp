// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Decisions that lw-netbench makes before it communicates, so that a prediction of its tests makes the same
// ones.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/text.hpp"
#include "netbench/beff_plan.hpp"
#include "netbench/hpcc_plan.hpp"
#include "netbench/members.hpp"
#include "netbench/rings.hpp"
#include "netbench/settings.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_netbench(nb::module_& module);

namespace {

using Ring = std::vector<std::pair<int, int>>;

netbench::Team team_of(const std::string& name) {
    if (name == "pair") return netbench::Team::pair;
    if (name == "two sides") return netbench::Team::two_sides;
    if (name == "any") return netbench::Team::any;
    throw nb::value_error("a team is a pair, two sides or any");
}

std::vector<int> members(const std::string& among, const std::string& team, const std::vector<int>& nodes) {
    return netbench::choose_members(netbench::among_named(among), team_of(team), nodes);
}

std::vector<Ring> as_pairs(const std::vector<std::vector<netbench::Neighbours>>& patterns) {
    std::vector<Ring> result;
    for (const std::vector<netbench::Neighbours>& pattern : patterns) {
        Ring ring;
        for (const netbench::Neighbours& each : pattern) ring.emplace_back(each.left, each.right);
        result.push_back(std::move(ring));
    }
    return result;
}

std::vector<Ring> patterns(int ranks, bool random, std::uint64_t seed) {
    return as_pairs(netbench::beff_patterns(ranks, random, seed));
}

/// Both sizes: bytes, round trips of a ping-pong, exchanges of a ring.
std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> hpcc_sizes() {
    std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> result;
    for (const netbench::HpccSize& size : netbench::kHpccSizes)
        result.emplace_back(size.bytes, size.trips, size.exchanges);
    return result;
}

std::vector<Ring> hpcc_rings(int ranks, std::size_t size, std::uint64_t seed) {
    return as_pairs(netbench::hpcc_rings(ranks, netbench::kHpccSizes.at(size), seed));
}

int hpcc_pair_stride(int ranks, std::size_t size, double message_seconds) {
    const netbench::HpccSize& plan = netbench::kHpccSizes.at(size);
    const double one = netbench::seconds_of_a_pair(plan, message_seconds);
    return netbench::pair_stride(ranks, one, plan.pairs_seconds);
}

}  // namespace

void register_netbench(nb::module_& module) {
    add_exception<netbench::UsageError>(module, "BenchError", PyExc_ValueError);
    module.def("bench_members", &members, nb::arg("among"), nb::arg("team"), nb::arg("node_of_rank"));
    module.def("beff_patterns", &patterns, nb::arg("ranks"), nb::arg("random"), nb::arg("seed"));
    module.def("beff_lengths", &netbench::beff_lengths, nb::arg("longest"));
    module.def("beff_longest", &netbench::beff_longest, nb::arg("memory_of_a_rank"));
    module.def("beff_loops", &netbench::beff_loops, nb::arg("exchange_seconds_before"), nb::arg("growth"));
    module.def("beff_warms_up", &netbench::beff_warms_up, nb::arg("length"), nb::arg("lengths"));
    module.def("hpcc_sizes", &hpcc_sizes);
    module.def("hpcc_rings", &hpcc_rings, nb::arg("ranks"), nb::arg("size"), nb::arg("seed"));
    module.def("hpcc_pair_stride", &hpcc_pair_stride, nb::arg("ranks"), nb::arg("size"),
               nb::arg("message_seconds"));
    module.def(
        "logarithmic_average",
        [](const std::vector<double>& values) { return netbench::logarithmic_average(values); },
        nb::arg("values"));
    module.def("pattern_average", &netbench::pattern_average, nb::arg("patterns"));
    module.def("effective_bandwidth", &netbench::effective_bandwidth, nb::arg("rings"), nb::arg("random"));
    module.attr("MOST_BEFF_LOOPS") = netbench::kMostBeffLoops;
}

}  // namespace linkworth::bindings
