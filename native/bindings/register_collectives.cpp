// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/collective_rules.hpp"
#include "bindings/text.hpp"
#include "calls/collectives/build.hpp"
#include "calls/names.hpp"
#include "replay/replay.hpp"

namespace nb = nanobind;

namespace linkworth::bindings {

void register_collectives(nb::module_& module);

namespace {

using replay::collectives::Bytes;
using replay::collectives::Choice;
using replay::collectives::Collective;
using replay::collectives::Counts;
using replay::collectives::Operation;
using replay::collectives::Rank;
using replay::collectives::Topology;

/// A collective on ranks that are on `node_of_rank`, with the same bytes from each to each.
struct Example {
    Operation operation;
    Counts counts;
    Topology topology;

    Example(const std::string& collective, const std::vector<std::uint32_t>& node_of_rank, Bytes bytes,
            Bytes element, bool nonblocking)
        : counts(node_of_rank.size(), bytes), topology(everyone(node_of_rank.size()), node_of_rank) {
        operation.what = tracefile::collective_by_name("MPI_" + collective);
        if (operation.what == Collective::none || node_of_rank.empty())
            throw replay::ReplayError("no collective '" + collective + "' is known, or no ranks are given");
        operation.nonblocking = nonblocking;
        operation.size = static_cast<Rank>(node_of_rank.size());
        operation.element = element;
        operation.topology = &topology;
        operation.bytes = bytes;
        operation.own = 0;
        switch (operation.what) {
            case Collective::reduce_scatter: operation.receives = &counts; [[fallthrough]];
            case Collective::reduce_scatter_block: operation.bytes = bytes * operation.size; break;
            case Collective::gatherv:
            case Collective::scatterv: operation.own = bytes; [[fallthrough]];
            case Collective::allgatherv:
            case Collective::alltoallv:
            case Collective::alltoallw:
                operation.sends = &counts;
                operation.receives = &counts;
                operation.bytes = 0;
                break;
            default: break;
        }
    }

    static std::vector<std::int32_t> everyone(std::size_t ranks) {
        std::vector<std::int32_t> members(ranks);
        std::iota(members.begin(), members.end(), 0);
        return members;
    }
};

std::string collective_choice(const std::string& library, const std::string& collective,
                              const std::vector<std::uint32_t>& node_of_rank, Bytes bytes, Bytes element,
                              bool nonblocking) {
    const Example example(collective, node_of_rank, bytes, element, nonblocking);
    const Choice choice = replay::collectives::decide(collective_rules(library, {}), example.operation);
    std::string name(replay::collectives::algorithm_name(example.operation.what, choice.algorithm));
    return choice.segment == 0 ? name : name + ":" + std::to_string(choice.segment);
}

/// [(from, to, bytes)] of all that the ranks post, rank by rank.
std::vector<std::tuple<Rank, Rank, Bytes>> collective_messages(const std::string& library,
                                                               const ForcedCollectives& forced,
                                                               const std::string& collective,
                                                               const std::vector<std::uint32_t>& node_of_rank,
                                                               Bytes bytes, Bytes element, bool nonblocking) {
    Example example(collective, node_of_rank, bytes, element, nonblocking);
    const auto rules = collective_rules(library, forced);
    std::vector<std::tuple<Rank, Rank, Bytes>> messages;
    for (Rank me = 0; me < example.operation.size; ++me) {
        example.operation.me = me;
        std::vector<replay::Schedule> schedules;
        schedules.push_back(replay::collectives::build(rules, example.operation));
        for (std::size_t index = 0; index < schedules.size(); ++index) {
            for (replay::Step step; schedules[index].next(step);) {
                if (step.kind == replay::StepKind::send) messages.emplace_back(me, step.peer, step.bytes);
                if (step.kind == replay::StepKind::start)
                    schedules.push_back(schedules[index].take_started());
            }
        }
    }
    return messages;
}

}  // namespace

void register_collectives(nb::module_& module) {
    module.def("collective_algorithms", &collective_algorithms);
    module.def("collective_choice", &collective_choice, nb::arg("library"), nb::arg("collective"),
               nb::arg("node_of_rank"), nb::arg("bytes"), nb::arg("element") = 1,
               nb::arg("nonblocking") = false);
    module.def("collective_messages", &collective_messages, nb::arg("library"), nb::arg("forced"),
               nb::arg("collective"), nb::arg("node_of_rank"), nb::arg("bytes"), nb::arg("element") = 1,
               nb::arg("nonblocking") = false);
}

}  // namespace linkworth::bindings
