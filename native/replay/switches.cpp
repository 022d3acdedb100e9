// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/switches.hpp"

#include <cstddef>

namespace linkworth::replay {
namespace {

/// The same link for all that one node sends to another, another link for most other pairs.
std::uint32_t static_choice(std::uint32_t source, std::uint32_t destination, std::uint32_t links) {
    const std::uint64_t pair = (std::uint64_t{source} << 32U) | destination;
    return static_cast<std::uint32_t>((pair * 0x9e3779b97f4a7c15U) >> 33U) % links;
}

}  // namespace

Switches::Switches(const Topology& topology, std::uint32_t nodes, bool with_loads) : topology_(topology) {
    for (const SwitchLevel& level : topology.levels) {
        const std::uint32_t groups = (nodes + level.nodes_per_group - 1) / level.nodes_per_group;
        // To packets that take every uplink in turn, these are one link of their joint bandwidth.
        const std::uint32_t links = topology.routing == Routing::packet ? 1 : level.uplinks;
        const double bandwidth = level.bandwidth_bytes_per_second * (level.uplinks / links);
        const std::size_t count = std::size_t{groups} * links;
        const Links all{std::vector<Stamp>(count), std::vector<LoadHistory>(with_loads ? count : 0),
                        bandwidth, links};
        up_.push_back(all);
        down_.push_back(all);
    }
}

void Switches::append_loads(std::vector<LinkLoad>& loads) const {
    const auto append = [&](const std::vector<Links>& levels, LinkKind kind) {
        for (std::uint32_t level = 0; level < levels.size(); ++level)
            for (std::uint32_t i = 0; i < levels[level].load.size(); ++i)
                loads.push_back({kind, level, i / levels[level].per_group, i % levels[level].per_group,
                                 levels[level].load[i]});
    };
    append(up_, LinkKind::switch_up);
    append(down_, LinkKind::switch_down);
}

std::uint32_t Switches::levels_apart(std::uint32_t source, std::uint32_t destination) const {
    std::uint32_t level = 0;
    for (const SwitchLevel& each : topology_.levels) {
        if (source / each.nodes_per_group == destination / each.nodes_per_group) break;
        ++level;
    }
    return level;
}

void Switches::pass(std::uint32_t source, std::uint32_t destination, std::uint32_t hop, double wire_bytes,
                    Stamp& head, Stamp& tail) {
    const std::uint32_t apart = levels_apart(source, destination);
    const bool upwards = hop < apart;
    const std::uint32_t level = upwards ? hop : 2 * apart - 1 - hop;
    Links& links = upwards ? up_[level] : down_[level];
    const std::uint32_t node = upwards ? source : destination;
    const std::uint32_t group = node / topology_.levels[level].nodes_per_group;
    const std::size_t link =
        std::size_t{group} * links.per_group + static_choice(source, destination, links.per_group);
    Stamp& free = links.free[link];
    head.raise_to(free);
    free = head;
    free.add_bandwidth(wire_bytes / links.bandwidth_bytes_per_second, true);
    if (!links.load.empty()) links.load[link].add(head.seconds, free.seconds);
    tail.raise_to(free);
    head.add_latency_elsewhere(topology_.hop_latency_seconds);
    tail.add_latency_elsewhere(topology_.hop_latency_seconds);
}

}  // namespace linkworth::replay
