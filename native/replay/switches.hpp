// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Links between switches, if the fabric has fewer of them than its nodes could fill.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/fabric.hpp"
#include "replay/recording.hpp"
#include "replay/stamp.hpp"

namespace linkworth::replay {

class Switches {
  public:
    Switches(const Topology& topology, std::uint32_t nodes, bool with_loads);
    void append_loads(std::vector<LinkLoad>& loads) const;

    /// Links between switches from node to node: up, level by level, until both are below the same switches,
    /// then down.
    std::uint32_t hops(std::uint32_t source, std::uint32_t destination) const {
        return topology_.levels.empty() ? 0 : 2 * levels_apart(source, destination);
    }
    /// Latency that these links add.
    double latency_seconds(std::uint32_t source, std::uint32_t destination) const {
        return hops(source, destination) * topology_.hop_latency_seconds;
    }

    /// Moves a chunk of `wire_bytes` over the `hop`-th link of its way. Its head continues at once, its tail
    /// when the link has carried it.
    void pass(std::uint32_t source, std::uint32_t destination, std::uint32_t hop, double wire_bytes,
              Stamp& head, Stamp& tail);

  private:
    /// The uplinks or the downlinks of all groups of one level.
    struct Links {
        std::vector<Stamp> free;        ///< [group x links + link]
        std::vector<LoadHistory> load;  ///< likewise; empty if loads are not kept
        double bandwidth_bytes_per_second;
        std::uint32_t per_group;
    };

    std::uint32_t levels_apart(std::uint32_t source, std::uint32_t destination) const;

    const Topology& topology_;
    std::vector<Links> up_;  ///< [level]
    std::vector<Links> down_;
};

}  // namespace linkworth::replay
