// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "bindings/collective_rules.hpp"

#include "bindings/fields.hpp"
#include "bindings/text.hpp"
#include "calls/names.hpp"
#include "replay/replay.hpp"

namespace linkworth::bindings {
namespace {

// Open MPI's defaults: coll_tuned_bcast_algorithm_{knomial_radix,chain_fanout}.
constexpr std::uint32_t knomial_radix = 4;
constexpr std::uint32_t chain_fanout = 4;

}  // namespace

replay::collectives::Rules collective_rules(const std::string& library, const ForcedCollectives& forced) {
    replay::collectives::Rules made;
    made.library = value_of<replay::collectives::Library>(library);
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
