// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// What lw-netbench decides before it communicates, so that a prediction of its tests decides the same.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "netbench/beff_average.hpp"
#include "netbench/beff_loops.hpp"
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
    const char* words[] = {"lw-netbench", "--among", among.c_str()};
    return netbench::choose_members(netbench::parse_settings(3, words).among, team_of(team), nodes);
}

std::vector<Ring> patterns(int ranks, bool random, std::uint64_t seed) {
    std::vector<Ring> result;
    for (const std::vector<netbench::Neighbours>& pattern : netbench::beff_patterns(ranks, random, seed)) {
        Ring ring;
        for (const netbench::Neighbours& each : pattern) ring.emplace_back(each.left, each.right);
        result.push_back(std::move(ring));
    }
    return result;
}

}  // namespace

void register_netbench(nb::module_& module) {
    nb::exception<netbench::UsageError>(module, "BenchError", PyExc_ValueError);
    module.def("bench_members", &members, nb::arg("among"), nb::arg("team"), nb::arg("node_of_rank"));
    module.def("beff_patterns", &patterns, nb::arg("ranks"), nb::arg("random"), nb::arg("seed"));
    module.def("beff_lengths", &netbench::beff_lengths, nb::arg("longest"));
    module.def("beff_longest", &netbench::beff_longest, nb::arg("memory_of_a_rank"));
    module.def("beff_loops", &netbench::beff_loops, nb::arg("exchange_seconds_before"), nb::arg("growth"));
    module.def("beff_warms_up", &netbench::beff_warms_up, nb::arg("length"), nb::arg("lengths"));
    module.def(
        "logarithmic_average",
        [](const std::vector<double>& values) { return netbench::logarithmic_average(values); },
        nb::arg("values"));
    module.def("pattern_average", &netbench::pattern_average, nb::arg("patterns"));
    module.def("effective_bandwidth", &netbench::effective_bandwidth, nb::arg("rings"), nb::arg("random"));
    module.attr("MOST_BEFF_LOOPS") = netbench::kMostBeffLoops;
}

}  // namespace linkworth::bindings
