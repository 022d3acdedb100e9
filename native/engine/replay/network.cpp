// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/network.hpp"

#include <cmath>
#include <cstddef>

namespace linkworth::replay {

Network::Network(const FabricCosts& fabric, std::uint32_t nodes)
    : fabric_(fabric),
      stripe_width_(1 + (fabric.rails - 1) * fabric.rail_efficiency),
      out_(static_cast<std::size_t>(nodes) * fabric.rails),
      in_(out_.size()),
      memory_(nodes) {}

Network::Occupancy Network::occupy(std::vector<Stamp>& rails, std::uint32_t node, std::uint64_t bytes,
                                   const Stamp& ready) {
    Stamp* const first = &rails[static_cast<std::size_t>(node) * fabric_.rails];
    const bool striped = fabric_.rails > 1 && bytes >= fabric_.stripe_min_bytes;
    std::uint32_t chosen = 0;
    for (std::uint32_t rail = 1; rail < fabric_.rails; ++rail) {
        const bool better = striped ? first[rail].seconds > first[chosen].seconds
                                    : first[rail].seconds < first[chosen].seconds;
        if (better) chosen = rail;
    }
    const Stamp start = later(ready, first[chosen]);
    const double wire = fabric_.link.wire_seconds(bytes) / (striped ? stripe_width_ : 1);
    Stamp free = start;
    free.add_bandwidth(wire, false);
    if (wire < fabric_.link.gap_seconds) free.add_overhead(fabric_.link.gap_seconds - wire);
    if (striped) {
        for (std::uint32_t rail = 0; rail < fabric_.rails; ++rail) first[rail] = free;
    } else {
        first[chosen] = free;
    }
    return {start, free, wire};
}

Stamp Network::inject(std::uint32_t node, std::uint64_t bytes, const Stamp& ready, Stamp& done) {
    const Occupancy taken = occupy(out_, node, bytes, ready);
    done = taken.free;
    return taken.start;
}

Stamp Network::deliver(std::uint32_t node, std::uint64_t bytes, const Stamp& head) {
    const Occupancy taken = occupy(in_, node, bytes, head);
    Stamp in_memory = taken.start;
    in_memory.add_bandwidth(taken.wire_seconds, false);
    return in_memory;
}

Stamp Network::copy(std::uint32_t node, std::uint64_t bytes, const Stamp& ready) {
    Stamp alone = ready;
    alone.add_bandwidth(fabric_.intranode.wire_seconds(bytes), true);
    if (std::isinf(fabric_.intranode_total_bytes_per_second)) return alone;
    Stamp& memory = memory_[node];
    memory = later(memory, ready);
    memory.add_bandwidth(static_cast<double>(bytes) / fabric_.intranode_total_bytes_per_second, true);
    return later(alone, memory);
}

}  // namespace linkworth::replay
