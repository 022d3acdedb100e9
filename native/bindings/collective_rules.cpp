// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "bindings/collective_rules.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "bindings/text.hpp"
#include "calls/names.hpp"
#include "replay/replay.hpp"

namespace linkworth::bindings {
namespace {

using replay::collectives::Library;

constexpr std::array<std::pair<std::string_view, Library>, 5> libraries = {{
    {"mpich", Library::mpich},
    {"mpich-flat", Library::mpich_flat},
    {"openmpi-4.0", Library::openmpi_4_0},
    {"openmpi-4.1", Library::openmpi_4_1},
    {"openmpi-5.0", Library::openmpi_5},
}};

Library library_by_name(const std::string& name) {
    for (const auto& [known, library] : libraries)
        if (name == known) return library;
    throw replay::ReplayError("no collectives of an MPI library '" + name + "' are known");
}

// Open MPI's defaults: coll_tuned_bcast_algorithm_{knomial_radix,chain_fanout}.
constexpr std::uint32_t knomial_radix = 4;
constexpr std::uint32_t chain_fanout = 4;

}  // namespace

replay::collectives::Rules collective_rules(const std::string& library, const ForcedCollectives& forced) {
    replay::collectives::Rules made;
    made.library = library_by_name(library);
    for (const auto& [collective, name, segment] : forced) {
        const auto what = tracefile::collective_by_name("MPI_" + collective);
        const auto* algorithm = replay::collectives::find_algorithm(what, name);
        if (algorithm == nullptr)
            throw replay::ReplayError("no algorithm '" + name + "' of " + collective + " is known");
        replay::collectives::Choice choice{algorithm->algorithm, segment, 0};
        if (algorithm->algorithm == replay::collectives::Algorithm::knomial) choice.fanout = knomial_radix;
        if (algorithm->algorithm == replay::collectives::Algorithm::chain) choice.fanout = chain_fanout;
        made.forced[what] = choice;
    }
    return made;
}

replay::collectives::Rules collective_rules(nanobind::handle rules) {
    ForcedCollectives forced;
    for (const nanobind::handle each : rules.attr("forced"))
        forced.emplace_back(nanobind::cast<std::string>(each.attr("collective")),
                            nanobind::cast<std::string>(each.attr("algorithm")),
                            nanobind::cast<std::uint64_t>(each.attr("segment_bytes")));
    return collective_rules(nanobind::cast<std::string>(rules.attr("library")), forced);
}

std::map<std::string, std::vector<std::string>> collective_algorithms() {
    std::map<std::string, std::vector<std::string>> names;
    for (const auto& each : replay::collectives::named_algorithms())
        names[std::string(tracefile::collective_name(each.collective))].emplace_back(each.name);
    return names;
}

}  // namespace linkworth::bindings
